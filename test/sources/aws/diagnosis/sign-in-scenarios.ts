import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../../setup/run-program.ts'
import { toStableText } from '../../../setup/to-stable-text.ts'
import type { TestBrowser } from '../../../stand-ins/browser/test-browser.ts'
import { startPersonDesk } from './person-desk.ts'

const user = 'arn:aws:iam::111122223333:user/dev'

const kinds = [
  { profile: 'sso', subject: 'the SSO session "corp"', question: 'Allow client-1 to access your data?' },
  { profile: 'login', subject: `AWS as ${user}`, question: `Give access to AWS as ${user}?` },
] as const

const program = 'aws-bedrock-token'
const denied = 'You are not signed in'

/** Returns the last page of a tab in which somebody signed in. */
const done = (subject: string) =>
  `You are signed in\n\nThis was the sign-in to ${subject}.\n\nIt is for ${program}.\n\nYou can close this tab and go back to your work.`

const elsewhere = (subject: string) =>
  `This sign-in was finished elsewhere\n\nThe sign-in to ${subject} was finished before this answer came. The answer is ignored.\n\nWhat to do\n\nIf it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.`

/** Returns the whole outcome of a run, with a word for the token that it prints. */
async function outcomeOf(run: Promise<Outcome>): Promise<Outcome> {
  const outcome = await run
  return { ...outcome, stdout: toStableText(outcome.stdout) }
}

const saysOf = (subject: string, address: string) =>
  `${program}: a browser opens for the sign-in to ${subject}; if you see none, open: ${address}\n`

const printed = (stderr: string): Outcome => ({ status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr })

/** Tests what a person does in a browser, over the real process that signs in, for both ways of signing in to AWS. */
export function describeSignIns(startBrowser: () => Promise<TestBrowser>): void {
  let browser: TestBrowser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  describe.each(kinds)('$profile', ({ profile, subject, question }) => {
    const argv = ['--profile', profile]
    const says = (address: string) => saysOf(subject, address)

    test('two runs at once open one tab, which survives going back and forth', async () => {
      const desk = await startPersonDesk()
      const runs = [desk.start(argv), desk.start([...argv, '--lifetime', '600'])]
      const address = await desk.untilOpened()
      const tab = await browser.openTab(address)
      await tab.press('allow')
      const seen = [await tab.read()]
      const outcomes = [await outcomeOf(runs[0]!), await outcomeOf(runs[1]!)]
      const moves = [() => tab.goBack(), () => tab.goForward(), () => tab.goBack().then(() => tab.press('allow'))]
      for (const move of moves) {
        await move()
        seen.push(await tab.read())
      }
      await tab.close()
      outcomes.push(await outcomeOf(desk.start(argv)))
      expect({ outcomes, seen, opened: await desk.countOpened() }).toEqual({
        outcomes: [printed(says(address)), printed(says(address)), printed('')],
        seen: [done(subject), `${question}\nallowdeny`, done(subject), elsewhere(subject)],
        opened: 1,
      })
    })

    test('the next start asks again after the person has denied it', async () => {
      const desk = await startPersonDesk()
      const run = desk.start(argv)
      const address = await desk.untilOpened()
      const tab = await browser.openTab(address)
      await tab.press('deny')
      const message = `the sign-in to ${subject} was denied in the browser`
      const said = `T${message.slice(1)}.\n\nWhat to do\n\nStart again, and allow it there.\n\nYou can close this tab.`
      expect(await tab.read()).toBe(`${denied}\n\n${said}`)
      expect(await run).toEqual({
        status: 5,
        stdout: '',
        stderr: `${says(address)}${program}: ${message}\n${program}: hint: start again, and allow it there\n`,
      })
      await tab.close()
      const next = desk.start(argv)
      const anew = await desk.untilOpened(2)
      const again = await browser.openTab(anew)
      await again.press('allow')
      expect(await outcomeOf(next)).toEqual(printed(says(anew)))
      await again.close()
    })

    test('a later run joins the sign-in of a run whose tab was closed', async () => {
      const desk = await startPersonDesk()
      desk.bench.aws.requireSecondFactor()
      const run = desk.start([...argv, '--client-timeout', '9'])
      const address = await desk.untilOpened()
      const closed = await browser.openTab(address)
      await closed.close()
      const slow = await browser.openTab(address)
      await slow.press('allow')
      expect(await slow.read()).toBe('Second factor\nconfirm')
      expect(await run).toEqual({
        status: 7,
        stdout: '',
        stderr: [
          says(address),
          `${program}: the sign-in to ${subject} took longer than the 7 s of this call\n`,
          `${program}: hint: finish it in the browser, and the next start joins it; for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to 300; its page is: ${address}\n`,
        ].join(''),
      })
      const later = desk.start(argv)
      await slow.press('confirm')
      expect(await slow.read()).toBe(done(subject))
      // It may begin after the sign-in is finished, and has nothing to say then.
      expect([printed(says(address)), printed('')]).toContainEqual(await outcomeOf(later))
      await slow.close()
      expect(await desk.countOpened()).toBe(1)
    })

    test('a page in the same browser that forges the callback ends nothing', async () => {
      const desk = await startPersonDesk()
      const run = desk.start(argv)
      const address = await desk.untilOpened()
      const callback = new URL(address).searchParams.get('redirect_uri') ?? ''
      const forged = ['?error=access_denied', '?code=forged&state=guess', '?error=x&state=']
      for (const query of forged) {
        const page = await browser.openTab(`${callback}${query}`)
        expect(await page.read()).toBe('Not found')
        await page.close()
      }
      const tab = await browser.openTab(address)
      await tab.evaluate(
        `fetch(${JSON.stringify(`${callback}?error=access_denied`)}, { mode: 'no-cors' }).then(() => 1, () => 1)`,
      )
      await tab.press('allow')
      expect(await tab.read()).toBe(done(subject))
      expect(await outcomeOf(run)).toEqual(printed(says(address)))
      await tab.close()
    })
  })

  test("a start URL of the organization's own leads to the same sign-in", async () => {
    const desk = await startPersonDesk()
    const run = desk.start(['--profile', 'vanity'])
    const address = await desk.untilOpened()
    const tab = await browser.openTab(address)
    await tab.press('allow')
    expect(await tab.read()).toBe(done('the SSO session "vanity"'))
    expect(await outcomeOf(run)).toEqual(printed(saysOf('the SSO session "vanity"', address)))
    await tab.close()
  })

  test('the tab tells a person who is signed in to the console as somebody else', async () => {
    const desk = await startPersonDesk()
    desk.bench.aws.setPerson('arn:aws:iam::444455556666:user/other')
    const run = desk.start(['--profile', 'login'])
    const address = await desk.untilOpened()
    const tab = await browser.openTab(address)
    await tab.press('allow')
    const message = `you signed in to AWS as arn:aws:iam::444455556666:user/other, but profile "login" is for ${user}`
    const hint = `start again and choose ${user} in the browser; for the other, make a profile with: aws login --profile NAME`
    expect(await tab.read()).toBe(
      `${denied}\n\nY${message.slice(1)}.\n\nWhat to do\n\nS${hint.slice(1)}.\n\nYou can close this tab.`,
    )
    expect(await run).toEqual({
      status: 5,
      stdout: '',
      stderr: `${saysOf(`AWS as ${user}`, address)}${program}: ${message}\n${program}: hint: ${hint}\n`,
    })
    await tab.close()
  })
}
