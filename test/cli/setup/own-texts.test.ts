import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tellStaleExports } from '../../../src/cli/setup/changes/stale-exports.ts'
import { createTestCli, runHere } from '../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const nobody = { asked: [], left: [] }

/** Returns a folder for Linux in which somebody has put another text into the place of one. */
async function changeFile(path: string, change: (text: string) => string, flags: readonly string[] = []) {
  const folder = await nameFolder()
  await runSetup(folder, [...toFlags(oktaAnswers), '--systems', 'linux', ...flags])
  const file = join(folder, path)
  const own = change(await readFile(file, 'utf8'))
  await writeFile(file, own)
  return { folder, own }
}

const withTtl = (text: string) => text.replaceAll('240', '900')

const exports = 'changes  linux/managed-settings.json\nchanges  linux/detection.sh\nchanges  linux/explain.sh\n'

/** Lists the lines of `gatepass setup try` in front of its failure for want of a helper. */
async function listWarnings(folder: string): Promise<string[]> {
  const { stderr } = await runHere(['setup', 'try', folder, '--helper', '/none/helper'])
  const lines = stderr.replaceAll(folder, 'FOLDER').split('\n')
  return lines.slice(0, lines.indexOf('gatepass: there is no helper /none/helper on this machine'))
}

test('setup try names the exports of a document that somebody has changed', async () => {
  const { folder } = await changeFile('document.json', withTtl)
  expect(await listWarnings(folder)).toEqual([
    'gatepass: warning: people would get something else than what is tried here: linux/managed-settings.json, linux/detection.sh, linux/explain.sh',
    "gatepass: hint: make these files from the document again: gatepass setup 'FOLDER' --write",
  ])
})

test('the exports are made from a kept document once --write is passed', async () => {
  const { folder } = await changeFile('document.json', withTtl)
  const shown = await runSetup(folder, ['--keep', 'document.json'])
  const written = await runSetup(folder, ['--keep', 'document.json', '--write'])
  expect([shown, written]).toEqual([
    { status: 1, stdout: exports, stderr: 'gatepass: nothing was written; to write it, pass --write\n', ...nobody },
    {
      status: 0,
      stdout: `${exports}Wrote 3 changes in FOLDER.\nFrom now on document.json is left to its owner.\n`,
      stderr: '',
      ...nobody,
    },
  ])
})

test('after --keep a client applies the document and its exports alike', async () => {
  const { folder, own } = await changeFile('document.json', withTtl)
  await runSetup(folder, ['--keep', 'document.json', '--write'])
  const [document, settings] = ['document.json', 'linux/managed-settings.json'].map((path) => join(folder, path))
  expect({
    text: await readFile(document!, 'utf8'),
    difference: await runHere(['config', 'diff', document!, settings!]),
    next: await runSetup(folder, []),
    warnings: await listWarnings(folder),
  }).toEqual({
    text: own,
    difference: { status: 0, stdout: 'A client applies both alike.\n', stderr: '' },
    next: { status: 0, stdout: 'Nothing changes in FOLDER.\n', stderr: '', ...nobody },
    warnings: [],
  })
})

test('after an edit of the document alone its exports are named', async () => {
  const { folder } = await changeFile('document.json', withTtl)
  const { cli, written } = await createTestCli([])
  const other = join(`${folder} of somebody`, 'document.json')
  for (const path of [join(folder, 'vendor.json'), other, join(folder, 'document.json')])
    await tellStaleExports(cli, path)
  expect(written.stderr.replaceAll(folder, 'FOLDER')).toBe(
    `gatepass: warning: people would get something else than the saved document: linux/managed-settings.json, linux/detection.sh, linux/explain.sh
gatepass: hint: make these files from the document again: gatepass setup 'FOLDER' --write
`,
  )
})

test('a kept document that contradicts the answers about the sign-in is named each time', async () => {
  const { folder } = await changeFile('document.json', (text) => text.replace('0oa1example', '0oa2example'))
  await runSetup(folder, ['--keep', 'document.json', '--write'])
  expect(await runSetup(folder, [])).toEqual({
    status: 1,
    stdout: 'Nothing changes in FOLDER.\n',
    stderr: `gatepass: warning: document.json, which somebody has changed, differs from the answers in inference.credential.args
gatepass: hint: give the answers that it follows, such as --arg for one more argument; the pages are made from the answers
`,
    ...nobody,
  })
})

test('a changed document that is invalid is not exported', async () => {
  const { folder } = await changeFile('document.json', (text) => text.replace('240', '"often"'))
  const { status, stdout, stderr } = await runSetup(folder, ['--write'])
  expect({ status, stdout, stderr: stderr.split('\n').slice(-3) }).toEqual({
    status: 1,
    stdout: '',
    stderr: [
      'gatepass: nothing was written, because the document would not work',
      "gatepass: hint: correct document.json, which somebody has changed; to get the text of setup back: gatepass setup 'FOLDER' --write --take document.json",
      '',
    ],
  })
})

test('a changed document that is invalid can be replaced by the text of setup', async () => {
  const { folder } = await changeFile('document.json', (text) => text.replace('240', '"often"'))
  const { stdout: _, ...done } = await runSetup(folder, ['--write', '--take', 'document.json'])
  expect(done).toEqual({ status: 0, stderr: '', asked: [], left: [] })
})

test('the script places a kept file of the machine', async () => {
  const machine = 'machine/oidc-token.json'
  const { folder } = await changeFile(machine, (text) => text.replace('start a new conversation', 'begin anew'))
  const outcome = await runSetup(folder, ['--keep', machine, '--write'])
  const script = await readFile(join(folder, 'linux/place-files.sh'), 'utf8')
  expect({ outcome, placed: script.match(/begin anew|new conversation/g) }).toEqual({
    outcome: {
      status: 0,
      stdout: `changes  linux/place-files.sh\nWrote 1 change in FOLDER.\nFrom now on ${machine} is left to its owner.\n`,
      stderr: '',
      ...nobody,
    },
    placed: ['begin anew'],
  })
})

test('the recipe is made from a kept policy', async () => {
  const recipe = ['--recipe', 'nginx']
  const policy = await changeFile('gateway/policy.json', (text) => text.replace('x-user', 'x-person'), recipe)
  const kept = await runSetup(policy.folder, ['--keep', 'gateway/policy.json', '--write'])
  expect({
    status: kept.status,
    files: [...kept.stdout.matchAll(/^changes .*\/(.*)$/gm)].map(([, name]) => name),
  }).toEqual({
    status: 0,
    files: ['gatepass.conf', 'verify.conf', 'identity.conf'],
  })
})
