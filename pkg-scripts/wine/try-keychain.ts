// Folder: tests of the Windows keychain under Wine 10.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keychainChildCommand } from '../../src/sources/keychain/system/child-command.ts'
import { bundle } from '../bundle/bundle.ts'
import { buildExecutable } from '../executable/build-executable.ts'
import { guestsDirectory, openGuest } from '../smoke/guests/open-guest.ts'
import { runWindowsProgram, toWindowsPath } from '../smoke/guests/run-windows-program.ts'

// Tries the keychain of Windows under Wine 10: `node pkg-scripts/wine/try-keychain.ts`. docs/keychain.md has what it printed; the
// tests of every change run the same code against libraries that are compiled for this system.
const guest = openGuest('windows', guestsDirectory)
const entry = "export { start } from './pkg-scripts/wine/check-keychain.ts'"
const { packed } = await bundle({ name: 'check-keychain', entry, isWaitedFor: true })
const path = join(guest.root, 'tmp', 'check-keychain')
await buildExecutable('win32-x64', packed, { path, summary: 'a test', isCompiledAhead: false })
const [program, seen] = ['/tmp/check-keychain.exe', '/tmp/seen.txt']
rmSync(join(guest.root, seen), { force: true })
const { status, output } = runWindowsProgram(guest, [program, toWindowsPath(seen)])
process.stdout.write(existsSync(join(guest.root, seen)) ? readFileSync(join(guest.root, seen), 'utf8') : output)
console.log(`typed by a person: ends with ${runWindowsProgram(guest, [program, keychainChildCommand]).status}`)
process.exitCode = status ?? 1
