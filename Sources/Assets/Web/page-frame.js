// A page in the background draws nothing; its title and badge go on, this often.
const hidden = 250;

/**
 * Work that draws, done once before the browser's next picture, however often it was asked for until then.
 * @param {() => void} work
 * @returns {() => void} asks for it
 */
export function inFrame(work) {
  let frame;
  let timer;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = undefined;
    work();
  };
  return () => {
    if (timer !== undefined) return;
    frame = requestAnimationFrame(run);
    timer = setTimeout(run, hidden);
  };
}
