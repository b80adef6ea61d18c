// Loaded before a program: notes every path that it opens, lists or looks at, in the file that FILES_NOTE names.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const note = process.env.FILES_NOTE
delete process.env.FILES_NOTE
const { appendFileSync } = fs
const names = [
  'access',
  'exists',
  'lstat',
  'open',
  'openAsBlob',
  'opendir',
  'readFile',
  'readdir',
  'readlink',
  'realpath',
  'stat',
  'statfs',
]

function observe(owner, name) {
  const original = owner[name]
  if (typeof original !== 'function') return
  owner[name] = (path, ...rest) => {
    if (typeof path === 'string') appendFileSync(note, `${path}\n`)
    return original.call(owner, path, ...rest)
  }
}

for (const name of names) {
  for (const form of [name, `${name}Sync`]) observe(fs, form)
  observe(fs.promises, name)
}
syncBuiltinESMExports()
