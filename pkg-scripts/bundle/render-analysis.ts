import type { Bundle } from './bundle.ts'

/** Renders the parts of one bundle: the bytes of each package and of each of our own folders, largest first. */
export function renderAnalysis({ name, metafile }: Pick<Bundle, 'name' | 'metafile'>): string {
  const sizes = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const part = findPackage(path)?.name ?? path.split('/').slice(0, 2).join('/')
      sizes.set(part, (sizes.get(part) ?? 0) + bytesInOutput)
    }
  }
  const rows = [...sizes].filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)
  return `${name}\n${rows.map(([part, bytes]) => `${String(bytes).padStart(9)}  ${part}\n`).join('')}`
}

/** Lists the directories of the packages that are in a bundle, as seen from the tree that was built. */
export function listPackages({ metafile }: Pick<Bundle, 'metafile'>): string[] {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const directories = used.map((path) => findPackage(path)?.directory).filter((directory) => directory !== undefined)
  return [...new Set(directories)].sort()
}

/** Finds the innermost package, because a package may contain others. */
function findPackage(path: string): { directory: string; name: string } | undefined {
  const [, directory, name] = /^((?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? []
  return directory && name ? { directory, name } : undefined
}
