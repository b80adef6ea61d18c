import { expect, test } from 'vitest'
import { matches, product } from './source-files.ts'

/** The files that write text to a terminal or a pipe, with the reason why the text cannot steer the terminal. */
const writers: Readonly<Record<string, string>> = {
  'src/runtime/host.ts': 'it hands the streams of the runtime to those below, and writes nothing itself',
  'src/runtime/standard-streams.ts':
    'stderr is escaped; stdout holds a credential, of which every character has been checked',
  'src/cli/terminal.ts': 'everything is escaped; what a program reads is escaped on a screen',
}

const writing =
  /\bprocess\s*\.\s*std(out|err)\b(?!\.columns)|\bconsole\.\w|\bwriteSync\(\s*[12]\b|\bnew Outlet\(|\/dev\/(tty|std)|\bopenSync\(\s*['"]CON/

test('every place that writes text to a terminal is in the list', () => {
  const found = product.filter((file) => matches(file, writing)).map(({ path }) => path)
  expect(found.sort()).toEqual(Object.keys(writers).sort())
})

test('text for a terminal is escaped on the line that writes it', () => {
  const lines = product
    .filter(({ path }) => path in writers)
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => /std(out|err)\.write\(/.test(line))
  const open = lines.filter((line) => !/escape|createDecoder\(\)|decode\(|toOneLine|renderFailure/.test(line))
  expect({ areThereMany: lines.length > 5, open: open.map((line) => line.trim()) }).toEqual({
    areThereMany: true,
    open: [
      'flush: () => new Promise((resolve) => process.stderr.write("", () => resolve())),',
      'stdout: (text) => stdout.write(text),',
    ],
  })
})
