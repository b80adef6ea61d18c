// Mistake: it waits without a timeout for a network that never answers.
// Fails: network-hanging
const { connect } = require('node:net')
const { context, freshToken, print } = require('../parts/token.cjs')
const proxy = process.env.HTTPS_PROXY

if (context !== 'mid-session-refresh' || !proxy) print({ token: freshToken() })
else {
  const { hostname, port } = new URL(proxy)
  const socket = connect(Number(port), hostname, () => socket.write('CONNECT sign-in.example:443 HTTP/1.1\r\n\r\n'))
  socket.on('data', () => {})
  socket.on('error', (error) => {
    process.stderr.write(`the sign-in service cannot be reached (${error.code})\n`)
    process.exitCode = 1
  })
}
