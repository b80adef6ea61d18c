import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import type { FileContent } from '../../../../src/cli/config/edit/page-data.ts'
import { fails, prints } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { neutralNote } from '../../neutral-note.ts'
import { documentWith, writeTemporary } from '../../run-gatepass.ts'
import { runHere } from '../../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from '../../setup/run-setup.ts'
import { startEditor } from './start-editor.ts'

const told = `${neutralNote}gatepass: open this address in a browser on this machine; it works once; Ctrl-C ends this\n`

/** Asks as the page does. */
async function ask(address: string, name: string, key: string, body: object = {}) {
  const { origin } = new URL(address)
  const headers = { origin, 'content-type': 'application/json', 'x-page-key': key }
  const response = await fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // as the server answers
  return {
    status: response.status,
    answer: (await response.json()) as { session: string; name: string; file: FileContent },
  }
}

/** Returns an address without what is another one at every start. */
const hideKey = (address: string) => address.replace(/(?<=^http:\/\/127\.0\.0\.1:)\d+\/#[\w-]{43}/, 'PORT/#KEY')

const keyOf = (address: string) => new URL(address).hash.slice(1)

test.each(['SIGINT', 'SIGTERM'] as const)('serves until %s without writing the file', async (signal) => {
  const content = documentWith()
  const path = await writeTemporary('doc.json', content)
  const { address, child, ended } = await startEditor(path)
  const page = await (await fetch(new URL('/', address))).text()
  child.kill(signal)
  expect({
    address: hideKey(address),
    title: /<title>(.*)<\/title>/.exec(page)?.[1],
    ended: await ended,
    content: await readFile(path, 'utf8'),
  }).toEqual({
    address: 'http://127.0.0.1:PORT/#KEY',
    title: 'doc.json · gatepass config edit',
    ended: { status: 0, stdout: '', stderr: told },
    content,
  })
})

test('the built page is one file that has no text of the document', async () => {
  const path = await writeTemporary('doc.json', documentWith({ command: '/opt/unusual/helper' }))
  const { address } = await startEditor(path)
  const page = await (await fetch(new URL('/', address))).text()
  expect({
    hasText: page.includes('/opt/unusual/helper'),
    tags: [...page.matchAll(/<(link|script|style|img|iframe)\b[^>]*>/g)].map(([tag]) => tag),
  }).toEqual({ hasText: false, tags: ['<link rel="icon" href="data:,">', '<style>', '<script>'] })
})

test('saves, ends when the page asks for it, and reports a second visitor of its address', async () => {
  const path = await writeTemporary('doc.json', documentWith())
  const { address, ended } = await startEditor(path)
  const { answer } = await ask(address, 'open', keyOf(address))
  const text = documentWith({ ttlSec: 900 })
  const saved = await ask(address, 'save', answer.session, { text, base: answer.file.digest })
  const reopened = await ask(address, 'open', keyOf(address))
  await ask(address, 'finish', answer.session)
  expect({ saved, reopened, ended: await ended, content: await readFile(path, 'utf8') }).toEqual({
    saved: { status: 200, answer: { isSaved: true, file: { text, digest: expect.any(String) } } },
    reopened: { status: 410, answer: { problem: 'this address has been opened before, and works once' } },
    ended: prints(
      '',
      `${told}gatepass: warning: somebody opened the address a second time, and was refused
gatepass: hint: if it was not you, end this with Ctrl-C, and look at the file\n`,
    ),
    content: text,
  })
})

test('after a save names the exports that differ, with the command for them', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [...toFlags(oktaAnswers), '--systems', 'linux'])
  const path = join(folder, 'document.json')
  const { address, ended } = await startEditor(path)
  const { answer } = await ask(address, 'open', keyOf(address))
  const text = answer.file.text.replaceAll('240', '900')
  await ask(address, 'save', answer.session, { text, base: answer.file.digest })
  await ask(address, 'finish', answer.session)
  const { status, stderr } = await ended
  expect({ status, stderr: stderr.replaceAll(folder, 'FOLDER').split('\n').slice(-3) }).toEqual({
    status: 0,
    stderr: [
      'gatepass: warning: people would get something else than the saved document: linux/managed-settings.json, linux/detection.sh, linux/explain.sh',
      "gatepass: hint: make these files from the document again: gatepass setup 'FOLDER' --write",
      '',
    ],
  })
})

test('compares with what is installed under the names in force', async () => {
  const installed = await writeTemporary('managed-settings.json', documentWith({ ttlSec: 900 }))
  const names = { name: 'Acme', envPrefix: 'ACME', headerPrefix: 'acme', cloudWord: 'Acme', keyPrefix: 'sk-acme-' }
  const vendorFile = await writeTemporary('vendor.json', JSON.stringify({ ...names, linuxManagedFile: installed }))
  const text = documentWith()
  const { address } = await startEditor(await writeTemporary('doc.json', text), vendorFile)
  const { session } = (await ask(address, 'open', keyOf(address))).answer
  const compared = await ask(address, 'compare', session, { text, with: 'installed', other: '' })
  expect(compared).toEqual({
    status: 200,
    answer: {
      source: installed,
      problem: '',
      differences: [{ path: 'inference.credential.ttlSec', before: '900', after: '3600', isAsked: false }],
    },
  })
})

test('opens the browser of the person', async () => {
  const directory = await temporaryDirectory()
  const [path, seen] = [join(directory, 'doc.json'), join(directory, 'seen')]
  const browser = join(directory, 'browser')
  await writeFile(path, documentWith())
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`)
  await chmod(browser, 0o755)
  const env = { BROWSER: `"${browser}"`, PATH: '/usr/bin:/bin' }
  const child = spawn(process.execPath, [toBundlePath('gatepass'), 'config', 'edit', path], { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await expect.poll(() => readFile(seen, 'utf8').catch(() => '')).not.toBe('')
  const address = await readFile(seen, 'utf8')
  const { answer } = await ask(address, 'open', keyOf(address))
  await ask(address, 'finish', answer.session)
  const [status] = await ended
  expect({ name: answer.name, status }).toEqual({ name: 'doc.json', status: 0 })
})

test('says why no browser is opened, and prints the address', async () => {
  const path = await writeTemporary('doc.json', documentWith())
  const child = spawn(process.execPath, [toBundlePath('gatepass'), 'config', 'edit', path], { env: {} })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const [address] = await once(child.stdout, 'data')
  child.kill('SIGINT')
  await once(child, 'close')
  expect({ address: hideKey(String(address)), stderr }).toEqual({
    address: 'http://127.0.0.1:PORT/#KEY\n',
    stderr: told.replace('gatepass: open', 'gatepass: no browser was opened: there is no display\ngatepass: open'),
  })
})

test('refuses a document that cannot be edited before anything is served', async () => {
  const path = join(await temporaryDirectory(), 'folder')
  await mkdir(path)
  expect(await runHere(['config', 'edit', path])).toEqual(
    fails('gatepass', 2, `${path} is not a file`, 'name the file of a document'),
  )
})
