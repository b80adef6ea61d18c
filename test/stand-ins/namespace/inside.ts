import { execFileSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

// The first process of a namespace: gives it a loopback interface, on which these ports lead to the sockets of the test, until stdin ends.
const [directory, ...ports] = process.argv.slice(2)
execFileSync('ip', ['link', 'set', 'lo', 'up'])
for (const port of ports) {
  const server = createServer((client) => {
    const test = connect(join(directory!, port))
    for (const socket of [client, test]) socket.on('error', () => [client, test].map((one) => one.destroy()))
    client.pipe(test).pipe(client)
  })
  await new Promise<void>((listening) => server.listen(Number(port), '127.0.0.1', listening))
}
process.stdout.write('ready\n')
process.stdin.resume().once('end', () => process.exit())
