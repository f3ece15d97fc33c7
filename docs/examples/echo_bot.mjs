// Answers everybody who writes to it, with nothing but HTTP: node echo_bot.mjs http://127.0.0.1:8080 TOKEN
const [server, token] = process.argv.slice(2);
const ask = (method, path, body) => fetch(server + path, {
  method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body),
});
const { user } = await (await ask('GET', '/v1/me')).json();
const events = (await ask('GET', '/v1/events')).body.pipeThrough(new TextDecoderStream());
let text = '';
for await (const part of events) {
  text += part;
  const blocks = text.split('\n\n');
  text = blocks.pop(); // The last one may go on.
  for (const block of blocks) {
    const [event, data] = ['event: ', 'data: '].map((name) => block.split('\n').find((line) => line.startsWith(name))?.slice(name.length));
    if (event === 'chat.sync') console.log('Ready:', user);
    const entry = event === 'chat.entry' ? JSON.parse(data) : {};
    if (entry.type !== 'message' || entry.kind !== 'text' || entry.from === user) continue;
    await ask('POST', `/v1/conversations/${entry.conversation}/messages`, { body: { text: `You said: ${entry.body.text}` } });
  }
}
