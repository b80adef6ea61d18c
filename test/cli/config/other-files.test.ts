import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportFormats } from '../../../src/cli/config/export-formats.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { createDocument } from '../../../src/config/render/create-document.ts'
import { renderNested } from '../../../src/config/render/shapes.ts'
import { quoteForHint } from '../../../src/runtime/text/quote.ts'
import { vendor } from '../../../src/vendor.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runHere } from '../run-here.ts'

const text = renderNested(
  createDocument({ baseUrl: 'https://gateway.example.com/?a=1&b="2"', commandWindows: 'C:\\x\\y.exe', ttlSec: 240 }),
)
const document = parseDocument(Buffer.from(text))

/** Renders the text of an export of the document; of several files, the first one. */
function renderExport(name: keyof typeof exportFormats): string {
  const { content } = exportFormats[name].render(document, {})!
  if (typeof content === 'string') return content
  if (content instanceof Uint8Array) return Buffer.from(content).toString('utf8')
  return String(Object.values(content.files)[0])
}

test('a profile of OMA-URI settings is read as the document that it was made from', () => {
  const read = parseDocument(Buffer.from(renderExport('oma-uri')))
  expect({ document: read.document, findings: read.findings }).toEqual({ document: document.document, findings: [] })
})

const others: readonly (readonly [text: string, what: string, hint: string])[] = [
  ...(['detection-linux', 'detection-macos'] as const).map(
    (name) => [renderExport(name), 'is a shell script that was made from a document', 'document'] as const,
  ),
  ...(['detection-windows', 'remediation', 'sccm-discovery'] as const).map(
    (name) => [renderExport(name), 'is a script or playbook that was made from a document', 'document'] as const,
  ),
  [renderExport('ansible'), 'is a task file of Ansible that was made from a document', 'document'],
  [renderExport('admx'), 'is an administrative template, which has policies and not their values', 'document'],
  [renderExport('jamf'), 'is a manifest of Jamf Pro, which is a form for settings', 'document'],
  ['{"Rules":[]}', 'holds the rules of a compliance policy', 'document'],
  [
    '{"envPrefix":"A","headerPrefix":"a","keyPrefix":"a"}',
    'is a vendor file',
    'check it with: gatepass vendor check FILE',
  ],
  [
    '{"cases":[{"name":"a","expect":{}}]}',
    'holds cases for the policy of a verifier',
    'run them with the file of their policy as POLICY: gatepass gateway policy test POLICY --cases FILE',
  ],
  ['{"issuers":[],"rules":[]}', 'is the policy of a verifier', 'check it with: gatepass gateway policy check FILE'],
  [
    '{"client":"in-force","base-url":"https://x","identity":"static"}',
    'holds the answers of gatepass setup',
    'check the document.json beside it',
  ],
  [
    '{"outcome-log":"system"}',
    "holds a helper's options",
    'run the helper that reads it with --explain, which checks it',
  ],
]

test.each(others)(
  'a file of Gatepass that is not a document is refused by its name: %#',
  async (content, what, hint) => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, content)
    const way =
      hint === 'document'
        ? 'check the document that it was made from, such as document.json'
        : hint.replace('FILE', quoteForHint(file))
    expect(await runHere(['config', 'check', file])).toEqual({
      status: 2,
      stdout: `Errors: this will not take effect, or gives no credential
  the document  no-document
    it ${what}, and is not a document
    → ${way}

The document cannot be read.
`,
      stderr: '',
    })
    expect(await runHere(['config', 'edit', '--no-browser', file])).toEqual(
      fails('gatepass', 2, `${file}: it ${what}, and is not a document`, way),
    )
  },
)

const names = { name: 'Acme', envPrefix: 'ACME', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' }

/** Checks a document that has a vendor file in its folder, and gives what is said on stderr. */
async function checkBeside(folder: string, vendorFile: object, path: string) {
  await writeFile(join(folder, 'vendor.json'), JSON.stringify(vendorFile))
  await mkdir(join(folder, 'linux'))
  await writeFile(join(folder, path), text)
  return (await runHere(['config', 'check', join(folder, path)])).stderr
}

test.each([
  ['beside the document', 'document.json'],
  ['above an export', 'linux/managed.json'],
])('a vendor file %s is named where it is not in force', async (_, path) => {
  const folder = await temporaryDirectory()
  expect(await checkBeside(folder, names, path)).toBe(
    `gatepass: warning: ${folder}/vendor.json names the client of Acme, and the names in force are those of ${vendor.name}
gatepass: hint: run: gatepass --vendor "${folder}/vendor.json" config check "${join(folder, path)}"
`,
  )
})

test('a vendor file without names gets no finding', async () => {
  expect(await checkBeside(await temporaryDirectory(), {}, 'document.json')).toBe('')
})
