// Pion TURN as a relay on one port, with passwords made from a shared secret. pion-turn PORT SECRET
package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"net"
	"os"

	"github.com/pion/turn/v2"
)

func main() {
	address := "127.0.0.1:" + os.Args[1]
	secret := []byte(os.Args[2])
	connection, err := net.ListenPacket("udp4", address)
	if err != nil {
		panic(err)
	}
	// Whoever waits for the server knocks here.
	if _, err := net.Listen("tcp4", address); err != nil {
		panic(err)
	}
	_, err = turn.NewServer(turn.ServerConfig{
		Realm: "parley",
		AuthHandler: func(username, realm string, source net.Addr) ([]byte, bool) {
			code := hmac.New(sha1.New, secret)
			code.Write([]byte(username))
			password := base64.StdEncoding.EncodeToString(code.Sum(nil))
			return turn.GenerateAuthKey(username, realm, password), true
		},
		PacketConnConfigs: []turn.PacketConnConfig{{
			PacketConn: connection,
			RelayAddressGenerator: &turn.RelayAddressGeneratorStatic{
				RelayAddress: net.IPv4(127, 0, 0, 1), Address: "127.0.0.1"},
		}},
	})
	if err != nil {
		panic(err)
	}
	select {}
}
