// Folder: manifests for Homebrew and winget.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tellFailures } from '../../tell-failures.ts'
import { renderCask } from './homebrew.ts'
import { readStoreRelease } from './read-release.ts'
import { renderWingetManifests } from './winget.ts'

// Writes the manifests for Homebrew and winget beside the files of a release: `node pkg-scripts/release/stores/command.ts
// --release DIRECTORY --homepage URL`. It needs no packages of npm.
tellFailures('stores')
const { values } = parseArgs({
  options: { release: { type: 'string', default: 'dist/release' }, homepage: { type: 'string', default: '' } },
})
const homepage = values.homepage.replace(/\/+$/, '')
if (!URL.canParse(homepage)) throw new Error('--homepage: name the page of the repository whose releases these are')
const release = await readStoreRelease(values.release, homepage)
for (const { name, text } of [renderCask(release), ...renderWingetManifests(release)]) {
  writeFileSync(join(values.release, name), text)
  console.log(name)
}
