// Loaded before a program: a memo is written to a disk that does not respond, which a pipe without a reader stands for.
const { promises } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const pipe = process.env.HANGING_PIPE
delete process.env.HANGING_PIPE
const { open } = promises

promises.open = (path, ...rest) => (String(path).endsWith('.memodraft') ? open(pipe, 'w') : open(path, ...rest))
syncBuiltinESMExports()
