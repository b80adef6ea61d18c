import { isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml'
import { fields } from '../../config/fields.ts'
import { programName } from '../../version.ts'
import { changesForm, parseStep } from './parse-step.ts'
import {
  type DocumentValues,
  type ParsedScenario,
  type Scenario,
  type ScenarioProblem,
  type Step,
  simulatedKinds,
} from './scenario.ts'

/**
 * Parses a scenario in YAML, which includes JSON: a list of steps, or a mapping with `steps` and optionally `summary`, `kind`,
 * `served` and `document`. It reports all problems at once.
 */
export function parseScenario(text: string): ParsedScenario<Scenario> {
  const reader = new ScenarioReader(text)
  const scenario = reader.parse()
  return reader.problems.length > 0 ? { ok: false, problems: reader.problems } : { ok: true, scenario }
}

const sections = ['summary', 'kind', 'served', 'document', 'steps'] as const

class ScenarioReader {
  readonly #yaml: YamlText

  constructor(text: string) {
    this.#yaml = parseYaml(text)
  }

  get problems(): readonly ScenarioProblem[] {
    return this.#yaml.problems
  }

  parse(): Scenario {
    const { root } = this.#yaml
    if (this.problems.length > 0) return empty
    if (isSeq(root)) return { ...empty, steps: this.#parseSteps(root) }
    if (!isMap(root)) return this.#addProblem(root, 'expected a list of steps, or a mapping with "steps"')
    for (const { key } of root.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (!sections.some((section) => section === name))
        this.#addProblem(key, `${JSON.stringify(name)} is not one of ${sections.join(', ')}`)
    }
    const summary = root.get('summary', true)
    if (summary && typeof summary.value !== 'string') this.#addProblem(summary, 'expected text as the summary')
    const kind = this.#parseKind(root.get('kind', true))
    const document = root.get('document', true)
    const steps = root.get('steps', true)
    return {
      summary: String(summary?.value ?? ''),
      kind,
      ...(this.#parseServed(root.get('served', true)) && { isServed: true }),
      document: document ? this.#parseValues(document) : {},
      steps: steps ? this.#parseSteps(steps) : this.#addProblem(root, '"steps" is missing').steps,
    }
  }

  #parseKind(node: Node | undefined): Scenario['kind'] {
    if (!node) return undefined
    const kind = simulatedKinds.find((name) => isScalar(node) && node.value === name)
    if (!kind) this.#addProblem(node, `a kind is one of ${simulatedKinds.join(', ')}`)
    return kind
  }

  #parseServed(node: Node | undefined): boolean {
    if (node && !(isScalar(node) && typeof node.value === 'boolean'))
      this.#addProblem(node, 'expected true or false in "served"')
    return isScalar(node) && node.value === true
  }

  #parseSteps(node: Node): Step[] {
    if (!isSeq(node)) return [...this.#addProblem(node, 'expected a list in "steps"').steps]
    if (node.items.length === 0) this.#addProblem(node, 'expected at least one step')
    return node.items.flatMap((item) => this.#parseStep(item as Node))
  }

  #parseStep(node: Node): Step[] {
    if (isMap(node)) {
      const [pair, ...others] = node.items
      const key = isScalar(pair?.key) ? String(pair.key.value) : ''
      if (key === changesForm && others.length === 0 && pair?.value)
        return [{ type: 'document-changes', values: this.#parseValues(pair.value as Node) }]
      this.#addProblem(node, `a step is one line of words, or "${changesForm}:" with values below it`)
      return []
    }
    const step =
      isScalar(node) && typeof node.value === 'string' ? parseStep(node.value) : 'a step is one line of words'
    if (typeof step === 'object') return [step]
    this.#addProblem(node, step)
    return []
  }

  /** Accepts only paths of the field table, so that a typing error is reported. */
  #parseValues(node: Node): DocumentValues {
    if (!isMap(node)) {
      this.#addProblem(node, 'expected fields with their values, such as "inference.credential.ttlSec: 600"')
      return {}
    }
    const entries = node.items.map(({ key, value }) => {
      const path = isScalar(key) ? String(key.value) : ''
      if (!fields.some((field) => field.path === path))
        this.#addProblem(
          key as Node,
          `${JSON.stringify(path)} is not a field of a document; see: ${programName} config fields`,
        )
      return [path, (value as ParsedNode | null)?.toJSON() ?? null] as const
    })
    return Object.fromEntries(entries)
  }

  #addProblem(node: Node | null | undefined, message: string): Scenario {
    this.#yaml.addProblem(node, message)
    return empty
  }
}

const empty: Scenario = { summary: '', document: {}, steps: [] }

/** A text in YAML, which includes JSON, and its problems so far. */
export interface YamlText {
  readonly root: ParsedNode | null
  readonly problems: readonly ScenarioProblem[]
  /** Adds a problem at the line of a node, or at the first one. */
  readonly addProblem: (node: Node | null | undefined, message: string) => void
}

/** Parses a text and reports all its problems at once, syntax errors first. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter()
  // Without a limit, aliases in a small file could expand to gigabytes.
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', maxAliasCount: 0 } as object)
  const toProblem = (message: string, offset: number) => ({ line: lines.linePos(offset).line || 1, message })
  const problems = document.errors.map(({ code, pos }) => toProblem(`not valid YAML (${code})`, pos[0]))
  return {
    root: document.contents,
    problems,
    addProblem: (node, message) => problems.push(toProblem(message, node?.range?.[0] ?? 0)),
  }
}
