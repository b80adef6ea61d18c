import { readdir, realpath } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { maxBytes } from '../config/read/container.ts'
import { parseJson } from '../config/read/json.ts'
import { describeReadFailure, readNamedFile } from '../runtime/named-file.ts'
import { locateFindings, noPositions, type Positions } from '../runtime/values/position.ts'
import { type Branch, toTree } from './merge-patch.ts'
import { createRolloutFinding, parseRollout, type Rollout, type RolloutFinding, rolloutFile } from './rollout.ts'

/** The folder of an organization, as it was read at one time. */
export interface RolloutSource {
  /** `undefined` if an error in the folder prevents building documents. */
  readonly rollout: Rollout | undefined
  /** The base document and the overlays, by their paths in the folder. */
  readonly trees: ReadonlyMap<string, Branch>
  readonly findings: readonly RolloutFinding[]
  /** The positions in `rollout.json`. */
  readonly positions: Positions
}

/** Reads a folder with `rollout.json`, a base document and overlays. Problems of the content are findings, not errors. */
export async function readRollout(directory: string): Promise<RolloutSource> {
  const content = await readFileIn(directory, rolloutFile, { file: rolloutFile, path: '' })
  if (!(content instanceof Uint8Array))
    return { rollout: undefined, trees: new Map(), findings: [content], positions: noPositions }
  const { rollout, findings, positions } = parseRollout(content)
  if (!rollout) return { rollout, trees: new Map(), findings, positions }
  const trees = new Map<string, Branch>()
  const found: RolloutFinding[] = []
  for (const { name, path } of listFiles(rollout)) {
    const file = await readTree(directory, name, path)
    found.push(...file.findings)
    if (file.tree) trees.set(name, file.tree)
  }
  const unused = await validateUnused(directory, new Set(trees.keys()))
  const all = [...findings, ...locateFindings(found, positions), ...unused]
  const isWrong = found.some(({ severity }) => severity === 'error')
  return { rollout: isWrong ? undefined : rollout, trees, findings: all, positions }
}

/** Lists every file that a rollout names, once, with the first path that names it. */
function listFiles({ base, groups }: Rollout): { readonly name: string; readonly path: string }[] {
  const named = [
    { name: base, path: 'base' },
    ...groups.flatMap(({ overlays }, group) =>
      overlays.map((name, index) => ({ name, path: `groups[${group}].overlays[${index}]` })),
    ),
  ]
  const names = named.map(({ name }) => name)
  return named.filter(({ name }, index) => names.indexOf(name) === index)
}

async function readTree(
  directory: string,
  name: string,
  path: string,
): Promise<{ tree?: Branch; findings: readonly RolloutFinding[] }> {
  const named = { file: rolloutFile, path }
  if (
    posix.isAbsolute(name) ||
    posix.normalize(name) !== name ||
    /(^|\/)\.\.(\/|$)|\\/.test(name) ||
    name === rolloutFile
  )
    return { findings: [reportOutside(named)] }
  const content = await readFileIn(directory, name, named)
  if (!(content instanceof Uint8Array)) return { findings: [content] }
  const { entries, findings, positions = noPositions } = parseJson(content)
  const located = locateFindings(findings, positions).map((row) => ({ file: name, ...row }))
  return { findings: located, ...(entries && { tree: toTree(entries, name, positions) }) }
}

/** Reads a file in the folder, or says why it cannot be used. */
async function readFileIn(
  directory: string,
  name: string,
  named: { readonly file: string; readonly path: string },
): Promise<Uint8Array | RolloutFinding> {
  try {
    const [root, path] = [await realpath(directory), await realpath(join(directory, name))]
    if (!path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return reportOutside(named)
    return await readNamedFile(path, { longestBytes: maxBytes })
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException
    const message =
      error.code === 'ENOENT'
        ? `there is no ${join(directory, name)}`
        : `${join(directory, name)} ${describeReadFailure(error)}`
    return createRolloutFinding('file-unreadable', named, message, 'check its name and its permissions')
  }
}

function reportOutside(named: { readonly file: string; readonly path: string }): RolloutFinding {
  return createRolloutFinding(
    'file-outside',
    named,
    'it is not a JSON file in this folder',
    'put the file into the folder, and write its path with / and without . and ..',
  )
}

/** A folder with more files than this is not a rollout. Our decision. */
const maxListed = 10_000

/** Finds the JSON files in the folder that no rollout names, except those of tools. */
async function validateUnused(directory: string, used: ReadonlySet<string>): Promise<RolloutFinding[]> {
  const directories = new Set(['', ...[...used].map((name) => posix.dirname(name).replace(/^\.$/, ''))])
  const unused: RolloutFinding[] = []
  for (const inner of directories) {
    const names = (await readdir(join(directory, inner), { withFileTypes: true })).slice(0, maxListed)
    const files = names.filter((entry) => entry.isFile() && /^[^.].*\.json$/.test(entry.name))
    const paths = files
      .map(({ name }) => posix.join(inner, name))
      .filter((path) => !used.has(path) && path !== rolloutFile)
    unused.push(
      ...paths.map((file) =>
        createRolloutFinding(
          'overlay-unused',
          { file, path: '' },
          'nobody gets it: no group names it',
          `add it to a group in ${rolloutFile}, or remove it`,
        ),
      ),
    )
  }
  return unused
}
