import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { baseDocument, createRollout } from './rollout-folder.ts'

/** Publishes to a disk of 256 KiB that is filled before each command, and made free again. Needs root, for a mount of its own. */
const script = `
mount -t tmpfs -o size=256k tmpfs releases || exit 9
gatepass() { "$NODE" "$GATEPASS" bootstrap "$@" 2>&1; echo "status $?"; }
live() {
  gatepass explain rollout --subject u-1 --release releases --public-key key.pub | sed -n 2p
  grep -o '"wave":[0-9]*' releases/current.json
}
fill() { dd if=/dev/zero of=releases/filler bs=1k 2>/dev/null; }
gatepass release rollout --to releases --signing-key key
cp second.json rollout/base.json
fill
gatepass release rollout --to releases --signing-key key
live
rm releases/filler
gatepass release rollout --to releases --signing-key key
fill
gatepass promote releases --wave 1 --signing-key key
live
rm releases/filler
gatepass promote releases --wave 1 --signing-key key
ls -A releases
`

test('a full disk stops release and promote without changing the state', async () => {
  const home = await temporaryDirectory()
  const folder = await createRollout({ 'rollout.json': { waves: [50, 100], pilot: ['u-1'] } })
  await execa('cp', ['-r', folder, join(home, 'rollout')])
  const inference = { ...baseDocument.inference, streamIdleTimeoutSec: 600 }
  await writeFile(join(home, 'second.json'), JSON.stringify({ ...baseDocument, inference }))
  await mkdir(join(home, 'releases'))
  const env = { NODE: process.execPath, GATEPASS: toBundlePath('gatepass') }
  await execa(env.NODE, [env.GATEPASS, 'bootstrap', 'keygen', '--out', 'key'], { cwd: home })
  const shell = ['--mount', '--propagation', 'private', 'sh', '-c', script]
  const { stdout, stderr, exitCode } = await execa('unshare', shell, { cwd: home, env, reject: false })
  const lines = stdout.replace(/[0-9a-f]{64}/g, 'DIGEST').split('\n')
  expect({ exitCode, stderr, lines }).toEqual({
    exitCode: 0,
    stderr: '',
    lines: [
      'Release 1 is served to everybody.',
      'status 0',
      'gatepass: cannot write releases/documents/DIGEST.json (ENOSPC)',
      'gatepass: hint: make room on the disk',
      'status 3',
      'Release 1 is served to everybody.',
      '"wave":2',
      'Release 2 is served to its pilot: 1 person.',
      "Next: gatepass bootstrap promote 'releases' --wave 1 --signing-key 'key'",
      'status 0',
      'gatepass: cannot write releases/current.json (ENOSPC)',
      'gatepass: hint: make room on the disk',
      'status 3',
      'Release 2 is served: this person is in its pilot.',
      '"wave":0',
      'Release 2 is served up to wave 1 of 2: 50 % of the people, and the pilot.',
      "Next: gatepass bootstrap promote 'releases' --wave 2 --signing-key 'key'",
      'status 0',
      // No draft is left.
      '.lock',
      'current.json',
      'documents',
      'manifests',
    ],
  })
})
