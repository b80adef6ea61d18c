import { expect, test } from 'vitest'
import { requireArguments } from '../../../src/helper/options/arguments.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import type { OptionTable } from '../../../src/helper/options/option-table.ts'
import type { OptionValue } from '../../../src/helper/options/option-value.ts'
import { HelperError } from '../../../src/runtime/failure.ts'

const table: OptionTable = {
  ...commonOptions,
  profile: { value: 'text', summary: '' },
  config: { value: 'path', summary: '' },
  lifetime: { value: 'seconds', min: 60, max: 100, summary: '' },
}

test.each<[argv: string[], values: Record<string, OptionValue>]>([
  [[], {}],
  [['--profile', 'dev'], { profile: 'dev' }],
  [['--profile=dev'], { profile: 'dev' }],
  [['--profile=a=b'], { profile: 'a=b' }],
  [['--profile=--dev'], { profile: '--dev' }],
  [['--profile', '-'], { profile: '-' }],
  [['--profile', '-dev'], { profile: '-dev' }],
  [['--profile', 'a', '--profile', 'b'], { profile: 'b' }],
  [['--lifetime', '60'], { lifetime: 60 }],
  [['--config', '/a b/c'], { config: '/a b/c' }],
  [['--explain'], { explain: true }],
  [['--help', '--version'], { help: true, version: true }],
  [['--format', 'token'], { format: 'token' }],
  [['--header', 'A: 1'], { header: ['A: 1'] }],
  [['--header', 'A: 1', '--profile', 'x', '--header=B: 2'], { header: ['A: 1', 'B: 2'], profile: 'x' }],
  [['--'], {}],
  [['-h'], { help: true }],
  [['--profile', 'dev', '-V'], { profile: 'dev', version: true }],
  [['--profile', '-h'], { profile: '-h' }],
])('%j sets %j', async (argv, values) => {
  expect(Object.fromEntries(await requireArguments('tool', table, argv))).toEqual(values)
})

const pasted = 'begins with a typographic quote, which the shell has not removed: write " in its place'
const hyphens = 'an option starts with "--", two hyphens'
const several = (name: string) => `--${name} is followed by more than one argument: write`
const example = '--header "X-Team: {account}"'
const stray = 'unexpected argument (options start with "--")'
test.each<[argv: string[], message: string]>([
  [['--nothing'], 'unknown option --nothing'],
  [['--nothing=sk-1'], 'unknown option --nothing'],
  [['--profil', 'sk-1'], 'unknown option --profil (did you mean --profile?)'],
  [['--porfile=x'], 'unknown option --porfile (did you mean --profile?)'],
  [['--profiles=x'], 'unknown option --profiles (did you mean --profile?)'],
  [['--headers=x'], 'unknown option --headers (did you mean --header?)'],
  [['--Explain'], 'unknown option --Explain (did you mean --explain?)'],
  [['--no-explain'], 'unknown option --no-explain'],
  [['--toString'], 'unknown option --toString'],
  [['--__proto__=x'], 'unknown option --__proto__'],
  [['sk-1'], stray],
  [['--', '--profile'], stray],
  [['--profile'], '--profile needs a value'],
  [['--profile', '--explain'], '--profile needs a value'],
  [['--header'], '--header needs a value'],
  [['--header', '--header', 'A: 1'], '--header needs a value'],
  [['--profile='], '--profile: expected a text, found an empty one'],
  [['--profile', '“dev”'], `--profile: ${pasted}`],
  [['--config=‘/a/b’'], `--config: ${pasted}`],
  [['--header', '„A: 1“'], `--header: ${pasted}`],
  [['--explain=true'], '--explain takes no value'],
  [['--lifetime', 'sk-1'], '--lifetime: expected a whole number of seconds'],
  [['--lifetime=59'], '--lifetime: expected at least 60 seconds'],
  [['--lifetime=101'], '--lifetime: expected at most 100 seconds'],
  [['--config', 'sk-1'], '--config: expected an absolute path, or one that begins with ~/'],
  [
    ['--format', 'sk-1'],
    '--format: expected one of json, token, headers, headers-json, access-token-json, proxy-authorization, exec-credential, credential-process, sts-credentials, bazel, git',
  ],
  [
    ['--lifetime=1', '--nothing', 'x', '--format=y'],
    `--lifetime: expected at least 60 seconds; unknown option --nothing; --format: expected one of json, token, headers, headers-json, access-token-json, proxy-authorization, exec-credential, credential-process, sts-credentials, bazel, git`,
  ],
  [['--nothing', 'sk-1', 'sk-2'], 'unknown option --nothing'],
  [['--PROFILE', 'sk-1'], 'unknown option --PROFILE (did you mean --profile?)'],
  [['--explian', 'sk-1'], `unknown option --explian (did you mean --explain?); ${stray}`],
  [['--porfile=x', 'sk-1'], `unknown option --porfile (did you mean --profile?); ${stray}`],
  [['-profile', 'dev'], `${hyphens} (did you mean --profile?)`],
  [['\u2014profile', 'dev'], `${hyphens} (did you mean --profile?)`],
  [['-sk-1'], stray],
  [['-x', 'sk-1'], 'unknown option -x'],
  [['--sign-in-hint', 'sk-1'], "--sign-in-hint cannot be given as an argument: only the machine's file can set it"],
  [['--sign-in-hnt=x'], 'unknown option --sign-in-hnt'],
  [['-h=sk-1'], '--help takes no value'],
  [['-hV'], stray],
  [['sk-1', 'sk-2'], stray],
  [['--header', 'X-Team:', 'sk-1', 'sk-2'], `${several('header')} the whole header in quotes, as in ${example}`],
  [['--header=X-Team:', 'sk-1'], `${several('header')} the whole header in quotes, as in ${example}`],
  [['--profile', 'my', 'profile'], `${several('profile')} a value with blanks in quotes`],
  [['--lifetime', '60', 'sk-1'], stray],
])('%j is refused with all problems at once and no value repeated', async (argv, message) => {
  await expect(requireArguments('tool', table, argv)).rejects.toEqual(
    new HelperError('usage', message, 'see: tool --help'),
  )
})

test('the hint says that a value which begins with two dashes needs an equals sign', async () => {
  await expect(requireArguments('tool', table, ['--header', '--X-Team: sk-1'])).rejects.toEqual(
    new HelperError(
      'usage',
      '--header needs a value; unknown option --X-Team:',
      'write a value that begins with two dashes behind an equals sign: --header=--…',
    ),
  )
})

test('an option has one spelling, however short its name is', async () => {
  const short: OptionTable = { q: { value: 'text', summary: '' } }
  expect(await requireArguments('tool', short, ['--q', 'x'])).toEqual(new Map([['q', 'x']]))
  await expect(requireArguments('tool', short, ['-q=x'])).rejects.toEqual(
    new HelperError('usage', 'unknown option -q (did you mean --q?)', 'see: tool --help'),
  )
})
