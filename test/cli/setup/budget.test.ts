import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { questions } from '../../../src/cli/setup/questions.ts'
import { parseConsoleBlocks } from '../../setup/replay.ts'
import { organizationsPage } from '../../setup/replay-play.ts'
import { nameFolder, runSetup } from './run-setup.ts'

const page = await readFile(join(root, organizationsPage), 'utf8')
const [introduction = '', ...sections] = page.split(/^(?=## )/m)

/** Counts the words that somebody reads; a path or an address is one. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length
}

/** Parses the options of the first command of a section, under the names in force. */
function parseOptions(command: string): Map<string, string> {
  const words = command
    .replaceAll(/="([^"]*)"/g, '=$1')
    .replace('gatepass setup ', '')
    .split(/ +/)
  const values = new Map<string, string>()
  for (const [index, word] of words.entries())
    if (word.startsWith('--') && !word.includes('=')) values.set(word.slice(2), words[index + 1] ?? '')
  return values.set('client', 'in-force')
}

/** Returns a person who gives these answers, by the name of the question, and presses Enter otherwise. */
async function answerQuestions(folder: string, values: ReadonlyMap<string, string>) {
  const answer = (question: string) => {
    const asked = questions.find(({ words }) => words !== undefined && question.startsWith(`${words}?`))
    return (asked && values.get(asked.name)) ?? ''
  }
  const others = [...values].filter(([name]) => questions.find((each) => each.name === name)?.words === undefined)
  return runSetup(
    folder,
    others.flatMap(([name, value]) => [`--${name}`, value]),
    answer,
  )
}

test.each(sections.map((section) => [section.split('\n', 1)[0] ?? '', section] as const))(
  '%s takes at most 12 commands, 15 questions and 2,500 words to read',
  async (title, section) => {
    const [{ steps } = { steps: [] }] = parseConsoleBlocks(section, title)
    const folder = await nameFolder()
    const asked = await answerQuestions(folder, parseOptions(steps[0]?.command ?? ''))
    const names = ['README.md', 'pilot.md', 'packages.md', 'registration.md']
    const pages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const words = [introduction, section, asked.stderr, ...asked.asked, ...pages].map(countWords)
    const wordCount = words.reduce((sum, count) => sum + count, 0)
    expect({
      status: asked.status,
      areWithin: [steps.length <= 12, asked.asked.length <= 15, wordCount <= 2_500],
    }).toEqual({ status: 0, areWithin: [true, true, true] })
  },
)

/** Every answer that leads to one more question. */
const longest: Readonly<Record<string, string>> = {
  proxy: 'http://proxy.example:3128',
  'base-url': 'https://gateway.example.com',
  issuer: 'https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0',
  'client-id': '11111111-2222-3333-4444-555555555555',
  scopes: 'api://gateway.example.com/access',
  'sso-start-url': 'https://example.awsapps.com/start',
  'sso-region': 'eu-central-1',
  'sso-account': '111122223333',
  'sso-role': 'Inference',
  recipe: 'nginx',
  audience: '22222222-3333-4444-5555-666666666666',
}

test.each(['oidc-token', 'external-idp', 'aws-bedrock-token', 'aws-caller-identity', 'aws-identity-token', 'api-key'])(
  'a person who uses %s is asked at most 15 questions, whatever the answers are',
  async (identity) => {
    const values = new Map(Object.entries({ ...longest, identity, client: 'in-force' }))
    const { asked, status } = await answerQuestions(await nameFolder(), values)
    expect({ status, asked: asked.length <= 15 ? [] : asked }).toEqual({ status: 0, asked: [] })
  },
)
