import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'

/** The files for operators. */
export const observability = join(root, 'packaging', 'observability')

/** A rule of Prometheus, as far as a test looks at it. */
interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The files of rules, by name. */
export const ruleFiles: Readonly<Record<string, readonly Rule[]>> = Object.fromEntries(
  readdirSync(join(observability, 'prometheus')).map((name) => [name, readRules(name)]),
)

function readRules(name: string): Rule[] {
  const text = readFileSync(join(observability, 'prometheus', name), 'utf8')
  return parse(text).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
}

/** A panel of a dashboard. */
interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly Panel[]
}

/** The dashboards of Grafana, by file name. */
export const dashboards: Readonly<Record<string, Dashboard>> = Object.fromEntries(
  readdirSync(join(observability, 'grafana')).map((name) => [
    name,
    JSON.parse(readFileSync(join(observability, 'grafana', name), 'utf8')),
  ]),
)

/** Lists every query of rules and panels, with where it stands. */
export function listQueries(): (readonly [where: string, expr: string])[] {
  const rules = Object.entries(ruleFiles).flatMap(([file, list]) =>
    list.map(({ alert, record, expr }) => [`${file}: ${alert ?? record}`, expr] as const),
  )
  const panels = Object.entries(dashboards).flatMap(([file, { panels: list }]) =>
    list.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [`${file}: ${title}`, fillVariables(expr)] as const),
    ),
  )
  return [...rules, ...panels]
}

/** Returns the query of a panel as Grafana would send it, with every value of its variables. */
function fillVariables(expr: string): string {
  return expr.replaceAll(/"\$\w+"/g, '".*"').replaceAll('$__rate_interval', '1m')
}

/** Finds the metrics that a query names, each with the labels that its selector names; and the labels by which the query groups. */
export function findNames(expr: string) {
  const metrics = [...expr.matchAll(/\b((?:gatepass|process)[\w:]+)(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => !/^gatepass_(outcome|source|helper|late|version|token_origin)$/.test(name!))
    .map(([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
    }))
  const groups = [...expr.matchAll(/\b(?:by|on)\s*\(([\w, ]+)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  return { metrics, groups: [...new Set(groups)] }
}
