import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClientNames, normalizeClient } from '../../../src/cli/setup/client-names.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { knownClients } from '../../../src/vendor/known-clients.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const [known] = knownClients
const names = knownClients.map(({ name }) => name).join(', ')
const hint = `name one of ${names}, or a vendor file: gatepass vendor init --help`

/** Resolves an answer in a folder with these files. */
async function resolveIn(files: Readonly<Record<string, string>>, answer: (folder: string) => string | undefined) {
  const folder = await temporaryDirectory()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const outcome = await findClientNames(answer(folder)).catch((error: unknown) => error)
  return { outcome, folder }
}

test.each<[what: string, answer: (folder: string) => string | undefined, setting: unknown]>([
  ['the names in force, without an answer', () => undefined, undefined],
  ['the names in force, by their word', () => normalizeClient('In-Force'), undefined],
  ['a known client, before a file of its name', () => normalizeClient(known!.name.toUpperCase()), known!.setting],
  ['a vendor file', (folder) => join(folder, 'vendor.json'), known!.setting],
  ['a vendor file with a byte order mark', (folder) => join(folder, 'marked.json'), known!.setting],
])('the names are those of %s', async (_, answer, setting) => {
  const text = JSON.stringify(known!.setting)
  const files = { 'vendor.json': text, 'marked.json': `\uFEFF${text}`, [known!.name]: '{}' }
  expect((await resolveIn(files, answer)).outcome).toEqual(setting)
})

test.each([
  ['broken.json', 'is not a vendor file: it is not JSON'],
  ['list.json', 'is not a vendor file: it is not a JSON object'],
  ['folder', 'is a directory'],
])('the vendor file %s is refused, because it %s', async (name, problem) => {
  const { outcome, folder } = await resolveIn({ 'broken.json': '{"name": ', 'list.json': '[]' }, (folder) =>
    name === 'folder' ? folder : join(folder, name),
  )
  const path = name === 'folder' ? folder : join(folder, name)
  expect(outcome).toEqual(new HelperError('usage', `${path} ${problem}`, hint))
})
