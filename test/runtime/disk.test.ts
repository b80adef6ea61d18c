import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Reads a pipe that nobody writes to, beside a file that was read at once. */
const script = `
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const [path, disk] = process.argv.slice(1)
const { readText } = await import(disk)
writeFileSync(path + '-beside', 'text')
console.log(await readText(path + '-beside'))
execFileSync('mkfifo', [path])
setTimeout(() => { console.log('the timer still ran'); process.kill(process.pid, 'SIGKILL') }, 500)
await readText(path)
`

test.skipIf(process.platform === 'win32')('a pipe without a writer blocks no timer', async () => {
  const path = join(await temporaryDirectory(), 'file')
  const disk = join(root, 'src', 'runtime', 'disk.ts')
  const args = ['--input-type=module', '--eval', script, path, disk]
  const { stdout, timedOut } = await execa(process.execPath, args, {
    reject: false,
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  expect({ stdout, timedOut }).toEqual({ stdout: 'text\nthe timer still ran', timedOut: false })
})
