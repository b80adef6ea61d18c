import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { toNamesInForce } from '../../setup/names.ts'
import { parseConsoleBlocks, type Transcript } from '../../setup/replay.ts'
import { organizationsPage, replay } from '../../setup/replay-play.ts'
import { listInstalled, startAws, startEntra, startOkta } from './organizations.ts'

const page = toNamesInForce(await readFile(join(root, organizationsPage), 'utf8'))
const [, ...sections] = page.split(/^(?=## )/m)

function findTranscript(section: string): Transcript {
  return parseConsoleBlocks(section, section.split('\n', 1)[0] ?? '')[0]!
}

const organizations = [startEntra, startOkta, startAws]

test.each(organizations.map((start, index) => [start.name, start, sections[index]!] as const))(
  'the steps of %s have the results that the page shows',
  async (_name, start, section) => {
    await using organization = await start()
    const transcript = findTranscript(section)
    expect(await replay(transcript, await listInstalled(), organization.env)).toEqual(transcript.steps)
  },
)
