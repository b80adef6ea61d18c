// Loaded before a program: what it asks for in the machine's directory is read in the one that MACHINE_DIRECTORY names.
const fs = require('node:fs')

const real = process.platform === 'darwin' ? '/Library/Application Support/Gatepass' : '/etc/gatepass'
const other = process.env.MACHINE_DIRECTORY
delete process.env.MACHINE_DIRECTORY
delete process.env.NODE_OPTIONS

const move = (path) => (typeof path === 'string' && path.startsWith(real) ? other + path.slice(real.length) : path)
for (const name of ['lstat', 'open', 'readlink', 'stat']) {
  const original = fs[name]
  fs[name] = (path, ...rest) => original(move(path), ...rest)
}

const { native } = fs.realpath
fs.realpath.native = (path, done) =>
  native(move(path), (error, found) => done(error, found?.startsWith(other) ? real + found.slice(other.length) : found))
