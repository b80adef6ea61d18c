const { execFile } = require('node:child_process')

// A client's process: the parent of every helper that it runs, as a desktop application is.
process.on('message', ({ id, file, argv, env }) => {
  const child = execFile(file, argv, { env, cwd: '/', maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
    process.send({ id, outcome: { status: error ? (error.code ?? error.signal) : 0, stdout, stderr } })
  })
  child.stdin.end()
})
