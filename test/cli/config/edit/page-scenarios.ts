import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSite } from '../../../stand-ins/browser/start-site.ts'
import type { Tab, TestBrowser } from '../../../stand-ins/browser/test-browser.ts'
import { neutralNote } from '../../neutral-note.ts'
import { documentWith, writeTemporary } from '../../run-gatepass.ts'
import { startEditor } from './start-editor.ts'

/** Creates a page that is driven as a person does it, by what stands on it. */
export function createDriver(tab: Pick<Tab, 'evaluate'>) {
  const run = (script: string) => tab.evaluate(`(() => { ${script} })()`)
  const quote = JSON.stringify
  const setControl = (selector: string, value: string) =>
    run(`const control = document.querySelector(${quote(selector)})
      if (control.disabled) throw new Error('it cannot be changed')
      control.focus()
      const text = control.options ? [...control.options].find(o => o.text.startsWith(${quote(value)})).value : ${quote(value)}
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value').set.call(control, text)
      control.dispatchEvent(new Event('input', { bubbles: true }))
      control.dispatchEvent(new Event('change', { bubbles: true }))`)
  return {
    run,
    setControl,
    set: (field: string, value: string) => setControl(`#${toDomId(field)}`, value),
    /** Presses the button with these words, or this label, inside an element. */
    press: (name: string, inside = 'body') =>
      run(`const all = [...document.querySelector(${quote(inside)}).querySelectorAll('button')]
        const button = all.find(each => (each.getAttribute('aria-label') ?? each.textContent) === ${quote(name)})
        if (!button || button.disabled) throw new Error('no such button: ' + all.map(each => each.textContent))
        button.focus()
        button.click()`),
    read: (selector: string) =>
      run(`return document.querySelector(${quote(selector)})?.innerText.trim()`) as Promise<string | undefined>,
    text: () => run(`return document.getElementById('text')?.value`) as Promise<string | undefined>,
    findings: async (field: string) => {
      const shown = await run(
        `return [...document.querySelectorAll(${quote(`#${toDomId(field)}-findings > li`)})].map(each => each.innerText)`,
      )
      return shown as string[]
    },
    leave: () => run('document.activeElement.blur()'),
  }
}

const toDomId = (field: string) => `field-${field.replace(/[^\w]+/g, '-')}`

/** The notice for a file that another program has changed. */
export const changedElsewhere = `\
Another program has changed the file since this page read it. Nothing of it is lost: choose what to do.

Show the difference
Make my changes in it
Take the file
Keep my text`

const ofHelper = (name: string) => `inference.credential.${name} helper-script`

/** Tests the scenarios that every browser has to pass. One browser serves all of them: each has an editor, and so an origin, of its own. */
export function describeEditor(startBrowser: () => Promise<TestBrowser>): void {
  let browser: TestBrowser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  const openTab = async (address: string) => {
    const tab = await browser.openTab(address)
    onTestFinished(() => tab.close())
    return tab
  }
  const open = async (content: string) => {
    const path = await writeTemporary('doc.json', content)
    const editor = await startEditor(path)
    const tab = await openTab(editor.address)
    const driver = createDriver(tab)
    await expect.poll(driver.text).toBeDefined()
    return { path, tab, ...editor, ...driver }
  }
  const state = '#state'

  describe('a field of every kind', () => {
    test('is changed in the text, and its findings stand beside it', async () => {
      const { set, press, text, findings, read, run } = await open(
        '{\n  "inference": {\n    "provider": "gateway"\n  }\n}\n',
      )
      await set('inference.baseUrl', 'gateway.example.com')
      await expect
        .poll(() => findings('inference.baseUrl'))
        .toEqual(['Error it is not a URL\n\nTo fix it: write the full URL, beginning with https://'])
      await set('inference.baseUrl', 'https://gateway.example.com')
      await set('$schemaVersion', '2')
      await set('inference.sessionLifetimeSec', '28800')
      await set('inference.credential.kind', 'helper-script')
      await expect.poll(() => read(`label[for="${toDomId(ofHelper('command'))}"]`)).toBe('command')
      await set(ofHelper('command'), '/opt/acme/helper')
      await set(ofHelper('silentRefreshEnabled'), 'false')
      await press('Add an item')
      await set(ofHelper('args'), '--one')
      await set(ofHelper('awsEnv.profile'), 'ai')
      await press('Add a header')
      await set('inference.customHeaders', 'x-tenant')
      await expect
        .poll(async () => JSON.parse((await text()) ?? ''))
        .toEqual({
          $schemaVersion: 2,
          inference: {
            provider: 'gateway',
            baseUrl: 'https://gateway.example.com',
            sessionLifetimeSec: 28800,
            credential: {
              kind: 'helper-script',
              command: '/opt/acme/helper',
              silentRefreshEnabled: false,
              args: ['--one'],
              awsEnv: { profile: 'ai' },
            },
            customHeaders: { 'x-tenant': '' },
          },
        })
      await expect.poll(() => read('section > .headline')).toBe('This document works: 1 note.')
      await set('inference.credential.kind', 'static')
      const removers = `return [...document.querySelectorAll('button')].map(each => each.textContent).filter(each => each.startsWith('Remove the'))`
      await expect.poll(() => run(removers)).toEqual(['Remove the 4 fields of other kinds'])
      await press('Remove the 4 fields of other kinds')
      await set('inference.credential.apiKey static', 'sk-secret')
      await expect
        .poll(async () => JSON.parse((await text()) ?? '').inference.credential)
        .toEqual({ kind: 'static', apiKey: 'sk-secret' })
    })

    test('takes typed text letter by letter, also for values of another type', async () => {
      const { tab, set, text, findings, run } = await open(documentWith({ ttlSec: 'soon' }))
      await expect
        .poll(() => findings(ofHelper('ttlSec')))
        .toEqual(['Error expected a whole number, found text\n\nTo fix it: write a whole number, or remove the field'])
      await set(ofHelper('ttlSec'), '')
      await tab.type(toDomId(ofHelper('ttlSec')), '3600')
      await expect.poll(async () => JSON.parse((await text()) ?? '').inference.credential.ttlSec).toBe(3600)
      expect(await run('return document.activeElement.id')).toBe(toDomId(ofHelper('ttlSec')))
      await expect.poll(() => findings(ofHelper('ttlSec'))).toEqual([])
    })
  })

  test('a document that is pasted into the text is kept, and explained where it is broken', async () => {
    const { setControl, findings, read, text, run, press } = await open(documentWith())
    await setControl('#text', documentWith({ ttlSec: 5 }).replace('/opt/gatepass/aws-bedrock-token', '~/helper'))
    await expect
      .poll(() => findings(ofHelper('command')))
      .toEqual(['Error ~ is not expanded\n\nTo fix it: write the full path, such as /usr/local/bin/…'])
    await setControl('#text', '{"inference": {')
    await expect
      .poll(() => read('#fields + p'))
      .toBe('The text is not a JSON object, so no field can be changed: correct the text, or undo the last change.')
    await expect.poll(() => read('section > .headline')).toBe('The document cannot be read.')
    expect(await run(`return document.getElementById('${toDomId('inference.baseUrl')}').disabled`)).toBe(true)
    expect(await text()).toBe('{"inference": {')
    await press('Undo')
    await expect.poll(() => read('section > .headline')).toBe('This document works: 1 note.')
    expect(await text()).toBe(documentWith())
  })

  test('undo leads back to the saved text, and redo to the changed one', async () => {
    const content = documentWith({ args: ['a'] })
    const { set, press, read, text, leave } = await open(content)
    await set(ofHelper('ttlSec'), '900')
    await leave()
    await set(ofHelper('timeoutSec'), '20')
    const changed = await text()
    await press('Undo')
    await press('Undo')
    expect([await text(), await read(state)]).toEqual([content, 'as it is saved'])
    await press('Redo')
    await press('Redo')
    expect([await text(), await read(state)]).toEqual([changed, 'changes that are not saved'])
  })

  test('nothing is written before a save', async () => {
    const content = documentWith({ args: ['a'] })
    const { path, set, press, read, text, leave, ended } = await open(content)
    await set(ofHelper('ttlSec'), '900')
    await leave()
    expect(await readFile(path, 'utf8')).toBe(content)
    await press('Save')
    await expect.poll(() => read(state)).toBe('as it is saved')
    expect(await readFile(path, 'utf8')).toBe(await text())
    await press('Finish')
    await expect.poll(() => read('main')).toBe('doc.json is closed\n\nThe command has ended. You can close this tab.')
    const told = 'gatepass: open this address in a browser on this machine; it works once; Ctrl-C ends this\n'
    expect(await ended).toEqual({ status: 0, stdout: '', stderr: `${neutralNote}${told}` })
  })

  describe('a file that another program changes', () => {
    const theirs = documentWith({ timeoutSec: 33 })

    test('is shown as it is where nothing was changed in the page', async () => {
      const { path, text } = await open(documentWith())
      await writeFile(path, theirs)
      await expect.poll(text).toBe(theirs)
    })

    test('is never overwritten without a question, and both changes can be merged', async () => {
      const { path, set, press, read, text } = await open(documentWith())
      await set(ofHelper('ttlSec'), '900')
      await writeFile(path, theirs)
      await press('Save')
      await expect.poll(() => read('#changed')).toBe(changedElsewhere)
      expect(await readFile(path, 'utf8')).toBe(theirs)
      await press('Show the difference')
      await expect.poll(() => read('#changed li')).toBe('inference.credential.ttlSec: 3600 in the file, 900 here')
      await press('Make my changes in it')
      await expect.poll(text).toBe(documentWith({ timeoutSec: 33, ttlSec: 900 }).replace('"ttlSec":', '"ttlSec": '))
      await press('Save')
      await expect.poll(() => read(state)).toBe('as it is saved')
      expect(await readFile(path, 'utf8')).toBe(await text())
    })

    test('can be taken, and undo brings the changes of the page back', async () => {
      const { path, set, press, read, text } = await open(documentWith())
      await set(ofHelper('ttlSec'), '900')
      const mine = await text()
      await writeFile(path, theirs)
      await expect.poll(() => read('#changed')).toBe(changedElsewhere)
      await press('Take the file')
      await expect.poll(text).toBe(theirs)
      await press('Undo')
      expect(await text()).toBe(mine)
    })
  })

  test('the second of two pages that save one file is told of the first', async () => {
    const first = await open(documentWith())
    const editor = await startEditor(first.path)
    const second = createDriver(await openTab(editor.address))
    await expect.poll(second.text).toBe(documentWith())
    await second.set(ofHelper('timeoutSec'), '20')
    await first.set(ofHelper('ttlSec'), '900')
    await first.press('Save')
    await expect.poll(() => first.read(state)).toBe('as it is saved')
    await second.press('Save')
    await expect.poll(() => second.read('#changed')).toBe(changedElsewhere)
    expect(await readFile(first.path, 'utf8')).toBe(await first.text())
  })

  test('the key opens one tab, which may be loaded again', async () => {
    const { tab, address, text, run } = await open(documentWith())
    expect(tab.address()).toBe(new URL('/', address).href)
    await tab.reload()
    await expect.poll(text).toBe(documentWith())
    expect(await run('return document.cookie')).toBe('')
    const other = await openTab(address)
    await expect
      .poll(() => other.read())
      .toBe(`The document cannot be shown

this address has been opened before, and works once.

The address works once. Go to the tab in which it was opened, or start the command again.

Loading …`)
    expect(await other.evaluate(`document.body.innerText.includes('aws-bedrock-token')`)).toBe(false)
  })

  test('a page of another origin reads nothing and changes nothing', async () => {
    const { path, address, run } = await open(documentWith())
    const { origin } = new URL(address)
    const session = await run(`return sessionStorage.getItem('session')`)
    const site = await startSite('http', 'localhost')
    onTestFinished(() => site[Symbol.asyncDispose]())
    const html = `<form id="form" method="post" enctype="text/plain" action="${origin}/api/save" target="frame"><input name='{"text":"{}","base":"' value='"}'></form>
      <iframe id="page" src="${origin}/"></iframe><iframe name="frame"></iframe>`
    const hostile = await openTab(site.add('/hostile', { html }))
    // Even one that knows the session is kept out by its origin.
    const attempts = `Promise.all(${JSON.stringify(['open', 'file', 'save', 'finish'])}.flatMap(name => [
      { method: 'POST', headers: { 'content-type': 'application/json', 'x-page-key': ${JSON.stringify(session)} }, body: '{"text":"{}","base":"absent"}' },
      { method: 'POST', mode: 'no-cors', body: '{"text":"{}","base":"absent"}' },
    ].map(options => fetch('${origin}/api/' + name, options).then(r => r.text(), () => 'blocked'))))`
    const answers = (await hostile.evaluate(attempts)) as string[]
    // A page without permission gets an empty answer to its request, if the request is sent at all.
    expect(answers.filter((answer) => !['blocked', ''].includes(answer))).toEqual([])
    await hostile.evaluate('document.getElementById("form").submit()')
    const framed = `(() => { try { return document.getElementById('page').contentDocument?.title ?? 'hidden' } catch { return 'hidden' } })()`
    expect(await hostile.evaluate(framed)).toBe('hidden')
    const opened = `(() => { const other = window.open('${origin}/'); try { return other?.document.title || 'nothing' } catch { return 'hidden' } })()`
    expect(['nothing', 'hidden']).toContain(await hostile.evaluate(opened))
    expect(await readFile(path, 'utf8')).toBe(documentWith())
    expect(await run('return document.title')).toBe('doc.json · gatepass config edit')
  })

  test('another host name that leads to this machine gets nothing', async () => {
    const { address } = await open(documentWith())
    const { port } = new URL(address)
    const tab = await openTab(`http://localhost:${port}/`)
    expect(await tab.read()).toBe('{"problem":"the Host header is wrong"}')
  })

  test('text of the document is never taken for a part of the page', async () => {
    const evil = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'
    const { findings, run, read } = await open(documentWith({ args: [evil, '%'], [evil]: 1 }))
    await expect.poll(() => findings('inference.credential')).toHaveLength(1)
    expect(await read('section > .headline')).toBe(
      'This document does not work as it stands: 1 error, 1 warning, 1 note.',
    )
    expect(await run(`return [document.title, document.querySelectorAll('main img, main script').length]`)).toEqual([
      'doc.json · gatepass config edit',
      0,
    ])
  })

  test('the difference, the releases, an export and the day follow the text', async () => {
    const { set, setControl, read, run } = await open(documentWith({ command: '/opt/acme/helper' }))
    const part = (id: string) => read(`section[aria-labelledby="${id}"]`)
    // Chromium counts the options of a choice as text of the page, Firefox does not.
    const options = ['the file as it is saved', 'what is installed on this machine', 'another file']
    const listLines = (text = '') =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    const difference = async () => listLines(await part('difference')).filter((line) => !options.includes(line))
    await expect
      .poll(difference)
      .toEqual(['Difference', 'Compared with', 'Compared with the file: a client applies both alike.'])
    await set(ofHelper('ttlSec'), '1800')
    await expect
      .poll(difference)
      .toEqual([
        'Difference',
        'Compared with',
        'Compared with the file: a client applies one field differently.',
        'inference.credential.ttlSec people are asked to agree again',
        'before: 3600',
        'after: 1800',
      ])
    expect(await part('releases')).toContain('Clients from release 1.8555.0 on read everything')
    await expect.poll(() => part('day')).toMatch(/helper runs\s+16/)
    await setControl('section[aria-labelledby="exports"] select', 'linux')
    await expect.poll(() => part('exports')).toContain('Save managed-settings.json')
    const content = `document.querySelector('.content').value`
    expect(JSON.parse(String(await run(`return ${content}`))).inferenceCredentialHelperTtlSec).toBe(1800)
    const saved = `const link = document.querySelector('a[download]'); return fetch(link.href).then(() => '', () => link.download)`
    expect(await run(saved)).toMatch(/^(managed-settings\.json)?$/)
    await run(`document.querySelector('.lane .mark').dispatchEvent(new Event('pointerenter'))`)
    expect(await read('#detail')).toMatch(/^\d\d:\d\d:\d\d {2}\S/)
  })
}
