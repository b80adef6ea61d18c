import { LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml'
import type { ScenarioProblem } from './scenario.ts'

/** A text in YAML, which includes JSON, and the problems found in it so far. */
export interface YamlText {
  readonly root: ParsedNode | null
  readonly problems: readonly ScenarioProblem[]
  /** Adds a problem at the line of a node, or at the first one. */
  readonly addProblem: (node: Node | null | undefined, message: string) => void
}

/** Parses a text of which all problems are reported at once, those of its grammar first. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter()
  // An alias in a small file could stand for gigabytes.
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', maxAliasCount: 0 } as object)
  const toProblem = (message: string, offset: number) => ({ line: lines.linePos(offset).line || 1, message })
  const problems = document.errors.map(({ code, pos }) => toProblem(`not valid YAML (${code})`, pos[0]))
  return {
    root: document.contents,
    problems,
    addProblem: (node, message) => problems.push(toProblem(message, node?.range?.[0] ?? 0)),
  }
}
