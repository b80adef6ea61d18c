import { expect, test } from 'vitest'
import { collectProgramIdentity } from '../../../src/sources/program/program-identity.ts'

interface Listed {
  readonly names: string[]
  readonly variables: string[]
  /** Whether the whole PATH counts. */
  readonly isOpen: boolean
  /** Whether the working directory counts. */
  readonly isRelative: boolean
}

const one = (...names: string[]): Listed => ({ names, variables: [], isOpen: false, isRelative: false })

/** Every variable of the commands, and others that no command names. */
const env = Object.fromEntries(
  ['PATH', 'MY_WORD', 'MY_KEY2', 'MY_FLAG', 'TEAM', 'TENANT', 'PLACE', 'ROOT', 'TOOL', 'X'].map((name) => [
    name,
    '/none',
  ]),
)

/** Returns what decides whose token a command prints, in a home and a PATH without programs. */
async function list(command: { name: string; args: string[] } | { line: string }): Promise<Listed> {
  const host = { env, home: '/home/dana', platform: 'linux' } as const
  const options = { watch: [], 'watch-variable': [] }
  const { inputs, variables } = await collectProgramIdentity(host, { path: undefined, ...command }, options)
  const { found, directory } = inputs as { found: [name: string, file: null][]; directory: string | undefined }
  return {
    names: found.map(([name]) => name),
    variables: variables.filter((name) => name !== 'PATH'),
    isOpen: variables.includes('PATH'),
    isRelative: directory !== undefined,
  }
}

test.each<[words: string[], listed: Listed]>([
  [['gcloud', 'auth', 'print-identity-token'], one('gcloud')],
  [['/opt/bin/tool', '$X', 'a/b', '`id`'], one('/opt/bin/tool')],
  [['python3', '/opt/script.py'], one('python3')],
  [
    ['printenv', 'MY_WORD', 'x', 'MY_KEY2', '--MY_FLAG', 'MixedCase', 'X-Y'],
    { ...one('printenv'), variables: ['MY_KEY2', 'MY_WORD'] },
  ],
  [['env', 'TEAM=blue', 'gcloud', '--flag', 'auth'], one('env', 'gcloud', 'auth')],
  [['/bin/SH.exe', '-c', 'tool'], one('/bin/SH.exe', 'tool')],
  [['sh', '-c', 'tool "$TEAM"'], { ...one('sh', 'tool'), variables: ['TEAM'] }],
  [['sudo', './tool'], { ...one('sudo'), isRelative: true }],
  [['ssh', 'host'], one('ssh')],
  [['bashful', 'tool'], one('bashful')],
])('the words %j run these programs', async (words, listed) => {
  const [name = '', ...args] = words
  expect(await list({ name, args })).toEqual(listed)
})

test.each<[line: string, listed: Listed]>([
  ['aws-vault exec dev --json', one('aws-vault')],
  ['  aws-vault exec dev', one('aws-vault')],
  ['TEAM=blue  A=1 tool x', one('tool')],
  ['"/opt/my tools/tool" --x', one('/opt/my tools/tool')],
  ["'/opt/my tools/tool' --x", one('/opt/my tools/tool')],
  ['~/bin/tool a/b', one('/home/dana/bin/tool')],
  [`tool "$TEAM" \${TENANT:-none} %PLACE%`, { ...one('tool'), variables: ['PLACE', 'TEAM', 'TENANT'] }],
  ['$ROOT/bin/tool x', { ...one(), variables: ['ROOT'] }],
  ['bin/tool x', { ...one(), isRelative: true }],
  ['C:\\tools\\tool.exe x', one('C:\\tools\\tool.exe')],
  ['tools\\tool.exe x', { ...one(), isRelative: true }],
  ['tool | jq -r .a', one('tool', 'jq')],
  ['/opt/bin/tool --out=x | ~/bin/filter 2>/dev/null', one('/opt/bin/tool', '/home/dana/bin/filter', '/dev/null')],
  ['if test -f a; then tool; else other; fi', one('a', 'tool', 'other')],
  ['tool && tool', one('tool')],
  ['a; ./b', { ...one('a'), isRelative: true }],
  ['a\nb', one('a', 'b')],
  ['(tool)', one('tool')],
  ['echo `tool`', one('tool')],
  ['echo $(tool x)', one('tool', 'x')],
  ['"$TOOL" x', { ...one('x'), variables: ['TOOL'], isOpen: true }],
  ['true; %TOOL% x', { ...one('x'), variables: ['TOOL'], isOpen: true }],
  ['eval tool', { ...one('eval', 'tool'), isOpen: true }],
  ['. ./settings', { ...one(), isOpen: true }],
  ['evaluate x', one('evaluate')],
  ['sh -c "tool | jq ."', one('sh', 'tool', 'jq')],
  ['env tool', one('env', 'tool')],
  ['', one()],
])('the line %j runs these programs', async (line, listed) => {
  expect(await list({ line })).toEqual(listed)
})

test('the first words of a line with more than twelve are searched, and PATH counts as a whole', async () => {
  const words = Array.from({ length: 13 }, (_, index) => `tool${index}`)
  expect(await list({ line: words.join(' | ') })).toEqual({ ...one(...words.slice(0, 12)), isOpen: true })
  expect(await list({ line: words.slice(1).join(' | ') })).toEqual(one(...words.slice(1)))
})
