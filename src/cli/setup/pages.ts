import { isNeutral, vendor } from '../../vendor.ts'
import { programName } from '../../version.ts'

interface ListedFile {
  readonly path: string
  readonly about: string
}

/** The folder's README: what each file is, in the order in which they are used. */
export function renderReadme(files: readonly ListedFile[]): string {
  const rows = toRows(files).map(({ path, about }) => `| \`${path}\` | ${about} |\n`)
  const client = isNeutral
    ? '\n**These are neutral names, which reach no client.** Name yours: `gatepass setup --client NAME`.\n'
    : `\nThe client is that of ${vendor.name}.\n`
  return `# A rollout of ${programName}

Read [registration.md](registration.md) first, then try it, \`${programName} setup try\` in this folder, and follow [pilot.md](pilot.md).
${client}
| file | what it is |
|---|---|
${rows.join('')}
Change an answer with its option, such as \`${programName} setup --ttl 600\`: it shows what would change, and \`--write\` writes it. A file
that you have changed yourself is kept, and named. Keep the folder under version control.
`
}

/** The files of a recipe are one row, because their own folders say where each belongs. */
function toRows(files: readonly ListedFile[]): ListedFile[] {
  const recipe = files.filter(({ path }) => /^gateway\/(?!policy)/.test(path))
  const [first] = recipe
  const row = first && { path: 'gateway/…', about: first.about.replace(/: .*/, ', each file below its own path') }
  return files.flatMap((file) => (file === first && row ? [row] : recipe.includes(file) ? [] : [file]))
}
