import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Replaces imports from the AWS SDK's modules that re-export all others, because a program is split by files: an import of a name becomes
 * an import of the file that defines the name; unknown forms stay unchanged.
 * The builds that share the plugin read each file once: most programs contain the SDK, and finding its names takes longer than the rest of
 * their builds.
 */
export function createDirectImports(): Plugin {
  const contents = new Map<string, Promise<string>>()
  return {
    name: 'direct imports',
    setup: ({ onLoad, resolve }) => {
      const resolveFrom: ResolveFrom = async (specifier, importer) =>
        (await resolve(specifier, { importer, resolveDir: dirname(importer), kind: 'import-statement' })).path
      const read = async (path: string) => replaceImports(await readFile(path, 'utf8'), path, resolveFrom)
      onLoad({ namespace: 'file', filter: /[\\/](@smithy|@aws-sdk|src)[\\/].*\.[jt]s$/ }, async ({ path }) => ({
        contents: await contents.getOrInsertComputed(path, read),
        loader: extname(path) === '.ts' ? 'ts' : 'js',
      }))
    },
  }
}

type ResolveFrom = (specifier: string, importer: string) => Promise<string>

async function replaceImports(text: string, importer: string, resolveFrom: ResolveFrom): Promise<string> {
  const found = [...text.matchAll(/^import \{([^}]*)\} from ["'](@(?:smithy|aws-sdk)\/[^"']+)["']/gm)]
  const direct = await Promise.all(
    found.map(async ([, names = '', specifier = '']) => {
      const collecting = await resolveFrom(specifier, importer)
      const imports = parseNames(names).map(async ([imported, local]) => {
        const { name, path } = await locateSource(imported, collecting, resolveFrom)
        return `import { ${name} as ${local} } from ${JSON.stringify(path)}`
      })
      return (await Promise.all(imports)).join(';')
    }),
  )
  return found.reduce((replaced, [statement], index) => replaced.replace(statement, () => direct[index]!), text)
}

/** Locates the file that defines a name of a module, and the name there. */
async function locateSource(
  name: string,
  path: string,
  resolveFrom: ResolveFrom,
): Promise<{ name: string; path: string }> {
  const statements = (await readFile(path, 'utf8')).matchAll(/^(?:ex|im)port \{([^}]*)\} from "([^"]+)";$/gm)
  for (const [, names = '', specifier = ''] of statements) {
    const [original] = parseNames(names).find(([, passedOn]) => passedOn === name) ?? []
    if (original) return locateSource(original, await resolveFrom(specifier, path), resolveFrom)
  }
  return { name, path }
}

/** Parses `a, b as c` into `[['a', 'a'], ['b', 'c']]`. Types are omitted, because they are not loaded. */
function parseNames(names: string): [original: string, name: string][] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [original = '', passedOn = original] = name.split(' as ')
      return [original, passedOn]
    })
}
