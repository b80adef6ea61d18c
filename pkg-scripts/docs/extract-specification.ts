// Extracts the facts from the specification's field tables, for a test that compares our own table with them. Run it when the specification
// changes: `node pkg-scripts/docs/extract-specification.ts SPECIFICATION.md`.

import { readFileSync, writeFileSync } from 'node:fs'

/** The section of a table's rows, by the last matching line before the table. */
const sections: readonly [line: RegExp, section: (match: RegExpExecArray) => SpecificationPart][] = [
  [/^### Top-level object/, () => ({ prefix: '' })],
  [/^### inference/, () => ({ prefix: 'inference.' })],
  [/^Variant `([\w-]+)`/, ([, kind]) => ({ prefix: 'inference.credential.', kind: kind! })],
  [/^Fields of `oidc`/, () => ({ prefix: 'inference.credential.oidc.', kind: 'interactive' })],
  [
    /^Fields of `awsEnv` \((.*)\)/,
    ([, rule]) => ({ prefix: 'inference.credential.awsEnv.', kind: 'helper-script', rule: rule! }),
  ],
]

const [source] = process.argv.slice(2)
if (!source) throw new Error('usage: extract-specification.ts SPECIFICATION.md')
const target = new URL('../../test/config/specification-fields.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(parseFields(readFileSync(source, 'utf8').split('\n')), undefined, 2)}\n`)

interface Facts {
  path: string
  kind?: string
  type?: string
  flat?: string
  since?: string
  consent: boolean
  [fact: string]: unknown
}

interface SpecificationPart {
  prefix: string
  kind?: string
  /** A rule that applies to every row of the table. */
  rule?: string
}

function parseFields(lines: readonly string[]): Facts[] {
  const rows: Facts[] = []
  let section: SpecificationPart = { prefix: '' }
  let columns: string[] = []
  for (const line of lines) {
    for (const [pattern, read] of sections) {
      const match = pattern.exec(line)
      if (match) section = read(match)
    }
    if (/^Common field `kind`/.test(line)) rows.push(parseKind(line))
    if (!line.startsWith('|')) columns = []
    else if (columns.length === 0) columns = parseCells(line)
    else if (columns[0] === 'Field' && !/^\|[-| ]+$/.test(line)) rows.push(parseRow(columns, parseCells(line), section))
  }
  return rows
}

/** Parses the field `kind`, which the specification describes in a sentence instead of a table. */
function parseKind(line: string): Facts {
  return {
    path: 'inference.credential.kind',
    type: 'string',
    flat: /flat key (\w+)/.exec(line)![1]!,
    since: /; since ([\d.]+)/.exec(line)![1]!,
    consent: false,
    choices: [.../Values: (.*)\./.exec(line)![1]!.matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind),
  }
}

function parseCells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function parseRow(columns: readonly string[], row: readonly string[], section: SpecificationPart): Facts {
  const cell = (column: string) => row[columns.findIndex((name) => name.startsWith(column))]
  const rule = [section.rule, cell('Rule')].join('; ')
  const flat = cell('Flat key')
  const since = cell('Since')
  return {
    path: section.prefix + cell('Field'),
    ...(section.kind && { kind: section.kind }),
    type: cell('Type') ?? 'string',
    ...(flat && /^\w+$/.test(flat) && { flat }),
    ...(since && { since }),
    consent: cell('Consent') === 'yes' || /\bconsent required\b/.test(rule),
    ...parseRule(rule),
  }
}

/** Parses the limits and the default in a rule; the rest of a rule is prose. */
function parseRule(rule: string): Record<string, unknown> {
  const number = (pattern: RegExp) => (pattern.test(rule) ? Number(pattern.exec(rule)![1]) : undefined)
  const range = /(?:^|; )(\d+) to (\d+)/.exec(rule)
  const choices = /(?:^|; )`([^`]+)`(?: \([^)]*\))? or `([^`]+)`/.exec(rule)
  const facts = {
    constant: /constant `([^`]+)`/.exec(rule)?.[1],
    min: range ? Number(range[1]) : undefined,
    max: range ? Number(range[2]) : number(/, at most (\d+)/),
    above: number(/greater than (\d+)/),
    minLength: number(/minimum length (\d+)/),
    itemMaxLength: number(/each at most (\d+) characters/),
    choices: choices?.slice(1, 3),
    uri: /(?:^|; )URI;/.test(rule) || undefined,
    default: /`([^`]+)` \(default/.exec(rule)?.[1] ?? /(?:^|; )default (\w+)/.exec(rule)?.[1],
    pin: /origin-pinned to `([^`]+)`/.exec(rule)?.[1],
  }
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
}
