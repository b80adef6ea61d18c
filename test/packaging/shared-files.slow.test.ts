import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SharedFile } from '../../pkg-scripts/release/part/shared-file.ts'
import { buildSharedFiles } from '../../pkg-scripts/release/shared/build-shared-files.ts'
import type { SharedFiles } from '../../pkg-scripts/release/shared/print-shared-files.ts'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { run } from './made-up-package.ts'

let shared: SharedFiles
let files: readonly SharedFile[]
const textOf = (kind: SharedFile['kind'], name: string) =>
  files.find((file) => file.kind === kind && file.name === name)?.content ?? ''

beforeAll(async () => {
  shared = await buildSharedFiles({}, new Date(0))
  files = Object.values(shared).flat()
})

/** Writes the files of one kind into a directory. */
async function writeFiles(kind: SharedFile['kind']): Promise<{ directory: string; paths: string[] }> {
  const directory = await temporaryDirectory()
  const chosen = files.filter((file) => file.kind === kind)
  for (const { name, content } of chosen) await writeFile(join(directory, name), content)
  return { directory, paths: chosen.map(({ name }) => join(directory, name)) }
}

describe('manual pages', () => {
  test('exist for every installed name and for every command', () => {
    const pagesOf = (part: string) => shared[part]!.filter(({ kind }) => kind === 'manual').map(({ name }) => name)
    const listed = [...textOf('manual', 'gatepass.1').matchAll(/\\fB(.*)\(1\)\\fR/g)].map(([, name = '']) => name)
    const commands = listed.map((name) => name.replaceAll('\\-', '-'))
    expect({ suite: pagesOf(suiteName), cli: pagesOf('gatepass'), count: commands.length > 2 }).toEqual({
      suite: [suiteName, ...listHelpers()].map((name) => `${name}.1`),
      cli: ['gatepass', ...commands].map((name) => `${name}.1`),
      count: true,
    })
  })

  test('have no warning of mandoc, and are found by man', async () => {
    const { directory, paths } = await writeFiles('manual')
    const linted = await run('mandoc', ['-Tlint', '-Wwarning', ...paths])
    const { stdout } = await run('lexgrog', paths)
    const { stdout: shown } = await run('mandoc', ['-Tutf8', '-Owidth=200', join(directory, 'aws-bedrock-token.1')])
    const plain = shown.replace(/.\x08/g, '')
    const words = ['--region TEXT', 'GATEPASS_REGION, AWS_REGION', '/etc/gatepass/aws-bedrock-token.json']
    expect({
      linted,
      found: stdout.split('\n').filter(Boolean).length,
      missing: words.filter((word) => !plain.includes(word)),
    }).toEqual({ linted: { stdout: '', stderr: '' }, found: paths.length, missing: [] })
  })

  test('have the names of the vendor that the release is for', async () => {
    const vendorFile = join(await temporaryDirectory(), 'vendor.json')
    const names = { name: 'Acme', envPrefix: 'ACME', headerPrefix: 'acme', cloudWord: 'Sky', keyPrefix: 'ak-' }
    await writeFile(vendorFile, JSON.stringify(names))
    const other = Object.values(await buildSharedFiles({ vendorFile }, new Date(0))).flat()
    expect(other.filter(({ content }) => /VENDOR_|vendor\\-/.test(content)).map(({ name }) => name)).toEqual([])
    expect(other.filter(({ content }) => /acme/i.test(content))).not.toEqual([])
  })
})

describe('completions', () => {
  test('of bash offer commands, options, their values and files', async () => {
    const { directory } = await writeFiles('bash')
    await writeFile(join(directory, 'my file.pem'), '')
    const script = `
      . ./aws-bedrock-token
      complete -p aws-bedrock-token
      try() { COMP_WORDS=(aws-bedrock-token "$@"); COMP_CWORD=$#; _aws_bedrock_token; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
      try --regi; try sign; try --cache ''; try --ca my; try --region ''`
    expect((await run('bash', ['--norc', '-c', script], { cwd: directory })).stdout).toBe(
      'complete -F _aws_bedrock_token aws-bedrock-token\n<--region>\n<sign-in>\n<disk><keychain><none>\n<my file.pem>\n<>\n',
    )
  })

  test('of fish offer them with their meaning', async () => {
    const { directory } = await writeFiles('fish')
    const complete = async (words: string) => {
      const script = `source ./aws-bedrock-token.fish; complete -C ${JSON.stringify(words)}`
      const env = { HOME: directory, PATH: '/usr/bin:/bin' }
      return (await run('fish', ['--no-config', '-c', script], { cwd: directory, env })).stdout
    }
    expect(await complete('aws-bedrock-token --regi')).toBe("--region\tthe AWS region (default: the profile's)\n")
    const purpose =
      "where tokens are kept between runs: on disk, there sealed with a key of the system's keychain, or nowhere"
    expect(await complete('aws-bedrock-token --cache ')).toBe(
      ['disk', 'keychain', 'none'].map((value) => `${value}\t${purpose}\n`).join(''),
    )
  })

  test('of zsh load from a folder of fpath, and are for the command that they are named for', async () => {
    const { directory, paths } = await writeFiles('zsh')
    await mkdir(join(directory, 'home'))
    const script = `
      fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d home/dump
      for name in \${(k)_comps}; do case $name in gatepass|*-token|api-key|aws-*) print "$name $_comps[$name]";; esac; done`
    const env = { HOME: join(directory, 'home'), PATH: '/usr/bin:/bin' }
    const { stdout } = await run('zsh', ['-f', '-c', script], { cwd: directory, env })
    for (const path of paths) await run('zsh', ['-n', path])
    const names = ['gatepass', ...listHelpers()]
    const loaded = stdout
      .trim()
      .split('\n')
      .filter((line) => names.includes(line.split(' ')[0] ?? ''))
    expect(loaded.sort()).toEqual(names.map((name) => `${name} _${name}`).sort())
    const [first] = (await readFile(join(directory, '_gatepass'), 'utf8')).split('\n')
    expect(first).toBe('#compdef gatepass')
  })
})
