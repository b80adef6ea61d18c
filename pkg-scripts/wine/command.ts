import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../bundle/bundle.ts'
import { buildExecutable } from '../executable/executable.ts'
import { root } from '../tree.ts'
import { openDebian } from './debian.ts'

// Tries the keychain of Windows under Wine 10: `node pkg-scripts/wine/command.ts [DIRECTORY]`, as root. docs/keychain.md has what
// it printed; the tests of every change run the same code against libraries that are compiled for this system.
const debian = openDebian(process.argv[2] ?? join(root, 'dist', 'debian-13'))
try {
  const entry = "export { start } from './pkg-scripts/wine/check-keychain.ts'"
  const { packed } = await bundle({ name: 'check-keychain', entry, isWaitedFor: true })
  const options = { path: join(debian.home, 'check-keychain'), summary: 'a test', isCompiledAhead: false }
  await buildExecutable('win32-x64', packed, options)
  rmSync(join(debian.home, 'seen.txt'), { force: true })
  const status = debian.runWindows('check-keychain.exe', 'seen.txt')
  process.stdout.write(readFileSync(join(debian.home, 'seen.txt'), 'utf8'))
  console.log(`typed by a person: ends with ${debian.runWindows('check-keychain.exe', 'keychain-child')}`)
  process.exitCode = status ?? 1
} finally {
  debian.close()
}
