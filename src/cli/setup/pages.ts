// Renders the README of a setup folder and its page about packages; `pilot.ts` has the other pages.

import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { suiteName } from '../../suite/installed-programs.ts'
import { renderDebianName, renderRpmName } from '../../suite/package-files.ts'
import { isNeutral, vendor } from '../../vendor.ts'
import { programName, version } from '../../version.ts'
import { isNone, type SetupAnswers, splitList } from './answers.ts'
import type { FolderFile } from './folder.ts'
import { openMark } from './gateway-files.ts'

/** Renders the folder's README: the purpose of each file, in the order of use. */
export function renderReadme(files: readonly FolderFile[]): string {
  const rows = toRows(files).map(({ path, about }) => `| \`${path}\` | ${about} |\n`)
  const client = isNeutral
    ? `\n**These are neutral names, which reach no client.** Name yours: \`${programName} setup --client NAME\`.\n`
    : `\nThe client is that of ${vendor.name}.\n`
  return `# A rollout of ${programName}

1. Register what [registration.md](registration.md) lists.
2. Try it: \`${programName} setup try\` in this folder.
3. Fetch the [packages](packages.md).
4. Follow [pilot.md](pilot.md); [back.md](back.md) leads back.
${client}
| file | what it is |
|---|---|
${rows.join('')}
Change an answer with its option, such as \`${programName} setup --ttl 600\`: it shows what would change, and \`--write\` writes it. A file
that you have changed yourself is kept, and named. Keep the folder under version control.
`
}

/** The files of a recipe are one row, because their own folders describe where each belongs. */
function toRows(files: readonly FolderFile[]): ListedFile[] {
  const recipe = files.filter(({ path }) => /^gateway\/(?!policy)/.test(path))
  const [first] = recipe
  const isOpen = recipe.some(({ content }) => String(content).includes(openMark))
  const toDo = isOpen ? `; first fill in what is below each \`${openMark}\`` : ''
  const row = first && {
    path: 'gateway/…',
    about: first.about.replace(/: .*/, `, each file below its own path${toDo}`),
  }
  return files.flatMap((file) => (file === first && row ? [row] : recipe.includes(file) ? [] : [file]))
}

type ListedFile = Pick<FolderFile, 'path' | 'about'>

/** Renders the packages of each system, their sources, and their verification. */
export function renderPackages(answers: SetupAnswers): string {
  const systems = operatingSystems.filter((system) => splitList(answers.systems).includes(system))
  const rows = systems.flatMap((system) =>
    groupPackages(suiteName)[system].map(
      ([processor, files]) => `| ${system} | ${processor} | ${files.map((file) => `\`${file}\``).join('<br>')} |\n`,
    ),
  )
  return `# Packages to fetch

From the release ${version}, one for every desktop:

| system | processor | file |
|---|---|---|
${rows.join('')}${renderGatewayPackages(answers)}
They come from whoever publishes ${programName} to you; \`npm run release\` makes them from its sources. Keep them with \`SHA256SUMS\` on a web server or share
that desktops and the management tool reach${systems.includes('linux') ? ', or make a repository for apt and dnf of them (docs/install.md)' : ''}.

Check what you fetched: \`sha256sum --check --ignore-missing SHA256SUMS\`. In the archive \`${programName}-${version}-linux-x64.tar.xz\`
docs/verify-release.md says who has signed it, docs/install.md what each package does.
`
}

/** The verifier is in the package for administrators, not in that for desktops. */
function renderGatewayPackages({ recipe }: SetupAnswers): string {
  if (isNone(recipe)) return ''
  const rows = groupPackages(programName).linux.map(
    ([processor, files]) => `| Linux | ${processor} | ${files.map((file) => `\`${file}\``).join('<br>')} |\n`,
  )
  return `
The machine of the verifier gets \`${programName}\`:

| system | processor | file |
|---|---|---|
${rows.join('')}`
}

function groupPackages(
  name: string,
): Readonly<Record<OperatingSystem, readonly (readonly [processor: string, files: readonly string[]])[]>> {
  return {
    linux: [
      ['Intel, AMD', [renderDebianName(name, version, 'amd64'), renderRpmName(name, version, 'x86_64')]],
      ['Arm', [renderDebianName(name, version, 'arm64'), renderRpmName(name, version, 'aarch64')]],
    ],
    macos: [
      ['Apple', [`${name}-${version}-darwin-arm64.pkg`]],
      ['Intel', [`${name}-${version}-darwin-x64.pkg`]],
    ],
    windows: [
      ['Intel, AMD', [`${name}-${version}-win32-x64.msi`]],
      ['Arm', [`${name}-${version}-win32-arm64.msi`]],
    ],
  }
}
