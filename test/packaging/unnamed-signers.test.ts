import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const [team, fingerprint] = ['ABCDE12345', '0123456789ABCDEF0123456789ABCDEF01234567']
const signers = {
  SIGN_MACOS_IDENTITY: `Developer ID Application: Example (Desktop) (${team})`,
  SIGN_WINDOWS_ACCOUNT: 'example',
  RELEASE_OPENPGP_FINGERPRINT: fingerprint,
}

/** Runs the script over this project's page, whose table has these values in place of what is not yet known. */
async function check(env: Readonly<Record<string, string>>, values: readonly string[] = []) {
  const page = join(await temporaryDirectory(), 'SECURITY.md')
  const rest = [...values]
  const text = await readFile(join(root, 'SECURITY.md'), 'utf8')
  await writeFile(
    page,
    text.replaceAll('| none yet |', (cell) => `| ${rest.shift() ?? cell.slice(2, -2)} |`),
  )
  const script = join(root, 'packaging/refuse-unnamed-signers.sh')
  const { stderr, ...outcome } = await runExecutable(script, { argv: [page], env: { PATH: '/usr/bin:/bin', ...env } })
  return { ...outcome, stderr: stderr.replaceAll(page, 'PAGE') }
}

const refused = (...lines: string[]) => ({
  status: 2,
  stdout: '',
  stderr: [
    ...lines,
    'hint: write it into the table "What to allow" there, and tag that commit: nothing has been published',
  ]
    .map((line) => `refuse-unnamed-signers.sh: ${line}\n`)
    .join(''),
})
const passed = { status: 0, stdout: '', stderr: '' }

test('a release whose signers the page does not name is refused with all of them', async () => {
  expect(await check(signers)).toEqual(
    refused(
      `PAGE does not name the Team ID that signs for macOS: ${team}`,
      'PAGE does not name the publisher of the files for Windows',
      `PAGE does not name the key that signs the digests: ${fingerprint}`,
    ),
  )
})

test('a release is published where the page names its signers, or nobody has signed it', async () => {
  const spaced = `\`${fingerprint.replaceAll(/(?<=^(.{4})+)/g, ' ').trim()}\``
  expect(await check(signers, [`\`${team}\``, 'CN=Example, O=Example', spaced])).toEqual(passed)
  expect(await check({})).toEqual(passed)
})

test('a release that another key signs than the page names is refused', async () => {
  const { RELEASE_OPENPGP_FINGERPRINT } = signers
  const other = fingerprint.replace('0', '1')
  expect(await check({ RELEASE_OPENPGP_FINGERPRINT }, [team, 'CN=Example', other])).toEqual(
    refused(`PAGE does not name the key that signs the digests: ${fingerprint}`),
  )
})
