import { basename } from 'node:path'
import { expect, inject, test } from 'vitest'
import { findTranscripts, isSlow, replay } from '../setup/replay-play.ts'

const { cli, links } = inject('suite')
const programs = new Map([cli, ...links].map((path) => [basename(path), path]))
const transcripts = findTranscripts().filter((transcript) => !isSlow(transcript))

test.each(transcripts)('$place replays with executables', async (transcript) => {
  expect(await replay(transcript, programs)).toEqual(transcript.steps)
})
