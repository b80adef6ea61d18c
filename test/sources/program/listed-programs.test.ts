import { expect, test } from 'vitest'
import { parseProgramCall, parseShellLine } from '../../../src/sources/program/program-identity.ts'

const one = (...names: string[]): ReturnType<typeof parseProgramCall> => ({
  names,
  variables: [],
  isOpen: false,
  isRelative: false,
})

test.each<[words: string[], listed: ReturnType<typeof parseProgramCall>]>([
  [['gcloud', 'auth', 'print-identity-token'], one('gcloud')],
  [['/opt/bin/tool', '$X', 'a/b', '`id`'], one('/opt/bin/tool')],
  [['python3', '/opt/script.py'], one('python3')],
  [
    ['printenv', 'MY_TOKEN', 'x', 'MY_KEY2', '--MY_FLAG', 'MixedCase', 'X-Y'],
    { ...one('printenv'), variables: ['MY_TOKEN', 'MY_KEY2'] },
  ],
  [['env', 'TEAM=blue', 'gcloud', '--flag', 'auth'], one('env', 'gcloud', 'auth')],
  [['/bin/SH.exe', '-c', 'tool'], one('/bin/SH.exe', 'tool')],
  [['sh', '-c', 'tool "$TEAM"'], { ...one('sh', 'tool'), variables: ['TEAM'] }],
  [['sudo', './tool'], { ...one('sudo'), isRelative: true }],
  [['ssh', 'host'], one('ssh')],
  [['bashful', 'tool'], one('bashful')],
])('the words %j run these programs', (words, listed) => {
  const [name = '', ...args] = words
  expect(parseProgramCall(name, args)).toEqual(listed)
})

test.each<[line: string, listed: ReturnType<typeof parseProgramCall>]>([
  ['aws-vault exec dev --json', one('aws-vault')],
  ['  aws-vault exec dev', one('aws-vault')],
  ['TEAM=blue  A=1 tool x', one('tool')],
  ['"/opt/my tools/tool" --x', one('/opt/my tools/tool')],
  ["'/opt/my tools/tool' --x", one('/opt/my tools/tool')],
  ['~/bin/tool a/b', one('~/bin/tool')],
  [`tool "$TEAM" \${TENANT:-none} %REGION%`, { ...one('tool'), variables: ['TEAM', 'TENANT', 'REGION'] }],
  ['$HOME/bin/tool x', { ...one(), variables: ['HOME'] }],
  ['bin/tool x', { ...one(), isRelative: true }],
  ['C:\\tools\\tool.exe x', one('C:\\tools\\tool.exe')],
  ['tools\\tool.exe x', { ...one(), isRelative: true }],
  ['tool | jq -r .a', one('tool', 'jq')],
  ['/opt/bin/tool --out=x | ~/bin/filter 2>/dev/null', one('/opt/bin/tool', '~/bin/filter', '/dev/null')],
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
])('the line %j runs these programs', (line, listed) => {
  expect(parseShellLine(line)).toEqual(listed)
})

test('the first words of a line with more than twelve are searched, and PATH counts as a whole', () => {
  const words = Array.from({ length: 13 }, (_, index) => `tool${index}`)
  expect(parseShellLine(words.join(' | '))).toEqual({ ...one(...words.slice(0, 12)), isOpen: true })
  expect(parseShellLine(words.slice(1).join(' | '))).toEqual(one(...words.slice(1)))
})
