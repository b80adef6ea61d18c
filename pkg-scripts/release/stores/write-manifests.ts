// Folder: manifests for Homebrew and winget.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOptions } from '../../parse-options.ts'
import { tellFailures } from '../../tell-failures.ts'
import { renderCask } from './homebrew.ts'
import { readStoreRelease } from './read-release.ts'
import { renderWingetManifests } from './winget.ts'

// It needs no packages of npm.
tellFailures('stores')
const { values } = parseOptions({
  command: 'node pkg-scripts/release/stores/write-manifests.ts',
  summary: 'writes the manifests for Homebrew and winget beside the files of a release',
  options: {
    release: {
      type: 'string',
      default: 'dist/release',
      value: 'DIRECTORY',
      summary: 'where the files lie; absent, dist/release',
    },
    homepage: { type: 'string', default: '', value: 'URL', summary: 'the page of the repository that publishes' },
  },
})
const homepage = values.homepage.replace(/\/+$/, '')
if (!URL.canParse(homepage)) throw new Error('--homepage: name the page of the repository whose releases these are')
const release = await readStoreRelease(values.release, homepage)
for (const { name, text } of [renderCask(release), ...renderWingetManifests(release)]) {
  writeFileSync(join(values.release, name), text)
  console.log(name)
}
