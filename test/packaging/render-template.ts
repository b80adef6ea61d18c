import { stringify } from 'yaml'

/**
 * Renders a template of Go as Helm does, as far as the chart uses it: fields, `if`, `else`, `with`, `range`, and the functions below.
 * @throws {Error} for anything else, so that a template that only Helm understands fails.
 */
export function renderTemplate(text: string, root: object): string {
  const tokens = text.split(/(\{\{-? .*? ?-?\}\})/s).map((token, at, all) => {
    if (at % 2 === 1) return { action: token.replace(/^\{\{-? | ?-?\}\}$/g, '') }
    const start = all[at - 1]?.endsWith('-}}') ? token.trimStart() : token
    return { words: all[at + 1]?.startsWith('{{-') ? start.trimEnd() : start }
  })
  const { output, rest } = expandUntilEnd(tokens, { root, dot: root })
  if (rest.length > 0) throw new Error('there is an end too many')
  return output
}

type Token = { readonly words: string } | { readonly action: string }

interface Scope {
  readonly root: object
  readonly dot: unknown
}

/** Renders up to the `else` or `end` of this level, and gives what follows from there. */
function expandUntilEnd(tokens: readonly Token[], scope: Scope): { output: string; rest: readonly Token[] } {
  let [output, rest] = ['', tokens]
  while (rest.length > 0) {
    const [token, ...following] = rest as [Token, ...Token[]]
    if ('words' in token) {
      output += token.words
      rest = following
    } else if (/^(else|end)$/.test(token.action)) return { output, rest }
    else {
      const block = /^(if|with|range) (.*)$/.exec(token.action)
      const rendered = block
        ? expandBlock(block[1]!, evaluate(block[2]!, scope), following, scope)
        : { output: String(evaluate(token.action, scope)), rest: following }
      output += rendered.output
      rest = rendered.rest
    }
  }
  return { output, rest }
}

function expandBlock(kind: string, value: unknown, tokens: readonly Token[], scope: Scope) {
  const dots = toDots(kind, value, scope.dot)
  const after = skipBlock(tokens)
  const outputs = dots.map((dot) => expandUntilEnd(tokens, { ...scope, dot }).output)
  const [next, ...following] = after
  if (!next || !('action' in next)) throw new Error(`${kind} has no end`)
  if (next.action === 'end') return { output: outputs.join(''), rest: following }
  const otherwise = expandUntilEnd(following, scope)
  return { output: dots.length > 0 ? outputs.join('') : otherwise.output, rest: otherwise.rest.slice(1) }
}

/** Returns the `else` or `end` of this level, with what follows. */
function skipBlock(tokens: readonly Token[]): readonly Token[] {
  let depth = 0
  const end = tokens.findIndex((token) => {
    const word = 'action' in token ? token.action.split(' ')[0]! : ''
    if (depth === 0 && /^(else|end)$/.test(word)) return true
    if (/^(if|with|range)$/.test(word)) depth += 1
    if (word === 'end') depth -= 1
    return false
  })
  return end < 0 ? [] : tokens.slice(end)
}

/** Returns the values with which the inside of a block is rendered, once for each. */
function toDots(kind: string, value: unknown, dot: unknown): unknown[] {
  if (kind === 'range') return value as unknown[]
  const isEmpty = !value || (typeof value === 'object' && Object.keys(value).length === 0)
  if (isEmpty) return []
  return [kind === 'with' ? value : dot]
}

const functions: Readonly<Record<string, (...values: unknown[]) => unknown>> = {
  default: (otherwise, value) => value || otherwise,
  eq: (a, b) => a === b,
  quote: (value) => JSON.stringify(String(value)),
  // Go writes ${1} for the group that JavaScript writes as $1.
  regexReplaceAll: (pattern, text, replacement) =>
    String(text).replaceAll(new RegExp(String(pattern), 'g'), String(replacement).replaceAll(/\$\{(\d)\}/g, '$$$1')),
  toJson: (value) => JSON.stringify(value),
  toYaml: (value) => stringify(value).trimEnd(),
  indent: (width, value) => String(value).replaceAll(/^/gm, ' '.repeat(Number(width))),
}

function evaluate(pipeline: string, scope: Scope): unknown {
  let piped: unknown[] = []
  for (const stage of pipeline.split(' | ')) {
    const words = [...stage.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word)
    const call = functions[words[0]!]
    const given = (call ? words.slice(1) : words).map((word) => evaluateWord(word, scope))
    given.push(...piped)
    if (!call && given.length > 1) throw new Error(`no function of Helm that is known here: ${words[0]}`)
    piped = [call ? call(...given) : given[0]]
  }
  return piped[0]
}

function evaluateWord(word: string, { dot, root }: Scope): unknown {
  if (word.startsWith('"')) return JSON.parse(word)
  if (/^\d+$/.test(word)) return Number(word)
  if (word === '.') return dot
  if (!word.startsWith('.')) throw new Error(`no function of Helm that is known here: ${word}`)
  // Inside with and range, the fields of the chart have to be reached by $.
  if (dot !== root) throw new Error(`${word} is not a field of the dot`)
  return word
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => {
      if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`there is no ${word}`)
      return (value as Record<string, unknown>)[name]
    }, root)
}
