import { describe, expect, test } from 'vitest'
import { matchText, parseConsoleBlocks, parseTranscript } from './replay.ts'
import { findTranscripts, isSlow, replay } from './replay-play.ts'
import { prints } from './run-program.ts'

describe('a transcript file', () => {
  test('has commands with their output and their end between prose', () => {
    const text = [
      'Two commands.',
      '$ first --x',
      '> out',
      '>',
      '! err 1',
      'A remark.',
      '! err 2',
      'exit 3',
      '$ second \\',
      '    --y',
      '',
    ].join('\n')
    expect(parseTranscript(text, 'a.txt')).toEqual({
      place: 'a.txt',
      steps: [
        { command: 'first --x', seen: { status: 3, stdout: 'out\n\n', stderr: 'err 1\nerr 2\n' } },
        { command: 'second \\\n    --y', seen: { status: 0, stdout: '', stderr: '' } },
      ],
    })
  })

  test('without a command is refused', () => {
    expect(() => parseTranscript('> only output\n', 'a.txt')).toThrow(
      new Error('a.txt holds no command: begin one with "$ "'),
    )
  })
})

describe('a document', () => {
  test('gives its console blocks with their lines, and no other block', () => {
    const markdown = [
      '# Title',
      '```console',
      '$ one',
      'shown',
      '',
      '$ two \\',
      '  --x',
      '```',
      'text',
      '```sh',
      '$ not a transcript',
      '```',
      '- in a list:',
      '  ```console',
      '  $ three',
      '    shown',
      '  ```',
      '',
    ].join('\n')
    expect(parseConsoleBlocks(markdown, 'README.md')).toEqual([
      {
        place: 'README.md:2',
        steps: [
          { command: 'one', seen: { terminal: 'shown\n\n' } },
          { command: 'two \\\n  --x', seen: { terminal: '' } },
        ],
      },
      { place: 'README.md:14', steps: [{ command: 'three', seen: { terminal: '  shown\n' } }] },
    ])
  })

  test('that is followed from top to bottom is one transcript', () => {
    const places = findTranscripts().map(({ place }) => place)
    expect(places.filter((place) => place.startsWith('docs/rollout.md'))).toEqual(['docs/rollout.md'])
  })

  test('with a console block that holds no command is refused', () => {
    expect(() => parseConsoleBlocks('\n```console\nnpm test\n```\n', 'README.md')).toThrow(
      new Error('README.md:2 holds no command: begin one with "$ "'),
    )
  })
})

describe('the output', () => {
  test.each<[actual: string, seen: string]>([
    ['', ''],
    ['a.b\n', 'a.b\n'],
    ['version 1.2 (x)\n', 'version … (x)\n'],
    ['', '…\n'],
    ['a\nb\nc\n', '…\n'],
    ['a\nb\nc\nd\n', 'a\n…\nd\n'],
    ['a\nd\n', 'a\n…\nd\n'],
    ['a … b\n', 'a … b\n'],
  ])('%j looks as %j', (actual, seen) => {
    expect(matchText(actual, seen)).toBe(seen)
  })

  test.each<[actual: string, seen: string]>([
    ['a', ''],
    ['axb\n', 'a.b\n'],
    ['a\n', 'a'],
    ['a', 'a\n'],
    ['version 1\n2 (x)\n', 'version … (x)\n'],
    ['a\nb\n', 'a\n…\nd\n'],
    ['no line end', '…\n'],
  ])('%j does not look as %j', (actual, seen) => {
    expect(matchText(actual, seen)).toBe(actual)
  })
})

describe('a replay', () => {
  const play = (text: string) => replay(parseTranscript(text, 'a.txt'))

  test('returns the output, in the words of the transcript where they match', async () => {
    expect(await play('$ echo out; echo err >&2; exit 3\n> o…\n! wrong\n')).toEqual([
      { command: 'echo out; echo err >&2; exit 3', seen: { status: 3, stdout: 'o…\n', stderr: 'err\n' } },
    ])
  })

  test('keeps the home directory from command to command, and shows it under one name', async () => {
    expect(await play('$ printf x > "$HOME/file"\n$ pwd; cat file\n')).toEqual([
      { command: 'printf x > "$HOME/file"', seen: { status: 0, stdout: '', stderr: '' } },
      { command: 'pwd; cat file', seen: { status: 0, stdout: '/home/dana\nx', stderr: '' } },
    ])
  })

  test('has the pinned runtime and every helper on its path, and nothing of AWS', async () => {
    expect(await play('$ node --version; command -v aws-bedrock-token | sed "s:.*/::"; env | grep ^AWS_\n')).toEqual([
      {
        command: 'node --version; command -v aws-bedrock-token | sed "s:.*/::"; env | grep ^AWS_',
        seen: prints(`${process.version}\naws-bedrock-token\nAWS_EC2_METADATA_DISABLED=true\n`),
      },
    ])
  })

  test('of a console block compares stdout and then stderr', async () => {
    const [block] = parseConsoleBlocks('```console\n$ echo 2 >&2; echo 1\n1\n2\n```\n', 'README.md')
    expect(block && (await replay(block))).toEqual(block?.steps)
  })

  test('is slow where it needs npm', () => {
    expect([parseTranscript('$ npm ci\n', ''), parseTranscript('$ echo npm\n', '')].map(isSlow)).toEqual([true, false])
  })
})
