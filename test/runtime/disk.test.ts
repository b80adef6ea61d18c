import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Looks at a file, in whose place there is a pipe as soon as that has been seen to be a regular file. */
const script = `
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const [path, disk] = process.argv.slice(1)
const { readStatus, readText } = await import(disk)
fs.writeFileSync(path, 'text')
await readStatus(path)
const { statSync } = fs
fs.statSync = (...given) => {
  const status = statSync(...given)
  fs.rmSync(path)
  execFileSync('mkfifo', [path])
  return status
}
syncBuiltinESMExports()
setTimeout(() => { console.log('the timer still ran'); process.kill(process.pid, 'SIGKILL') }, 500)
await readText(path).then(() => 0, () => 0)
`

test.skipIf(process.platform === 'win32')(
  'a pipe in the place of a file that was just looked at stops no timer',
  async () => {
    const path = join(await temporaryDirectory(), 'file')
    const disk = join(root, 'src', 'runtime', 'disk.ts')
    const args = ['--input-type=module', '--eval', script, path, disk]
    const { stdout, timedOut } = await execa(process.execPath, args, {
      reject: false,
      timeout: 5_000,
      killSignal: 'SIGKILL',
    })
    expect({ stdout, timedOut }).toEqual({ stdout: 'the timer still ran', timedOut: false })
  },
)
