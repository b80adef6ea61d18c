import { expect, test } from 'vitest'
import helper from '../../../../helpers/command-token.ts'
import { askOptions } from '../../../../src/cli/config/init/ask-helper-options.ts'
import type { Interview } from '../../../../src/cli/config/init/question.ts'

/** Returns a person who gives one answer after the other; nothing but questions and remarks is asked of the terminal. */
function interviewWith(answers: string[]): Interview & { readonly asked: string[] } {
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answers.shift()
  }
  const terminal = { tell: (text: string) => asked.push(text) }
  // The parts of the command that these questions do not use are left out.
  return {
    asked,
    command: 'config init',
    cli: { terminal, helpers: new Map() } as unknown as Interview['cli'],
    conversation: { ask, [Symbol.dispose]: () => {} },
  }
}

test.each<[answer: string, args: string[]]>([
  [
    'gcloud auth print-identity-token --audiences=https://gateway.example',
    [
      ...['--command', 'gcloud', '--command', 'auth', '--command', 'print-identity-token'],
      '--command=--audiences=https://gateway.example',
    ],
  ],
  [`"/opt/my tools/get" -x 'a b'`, ['--command', '/opt/my tools/get', '--command', '-x', '--command', 'a b']],
])('a command that is typed as in a terminal, %s, becomes one argument for each word', async (answer, args) => {
  const interview = interviewWith([answer])
  expect(await askOptions(interview, { name: 'command-token', helper, given: [], os: 'linux' })).toEqual(args)
  expect(interview.asked).toEqual([
    'command (on one line, with quotes around words that have blanks): the program that prints the token, by its absolute path or its name, then one argument at a time? [set on each machine] ',
  ])
})
