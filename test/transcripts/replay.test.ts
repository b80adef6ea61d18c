import { expect, test } from 'vitest'
import { findTranscripts, isQuick, replay } from '../setup/replay-play.ts'

const transcripts = findTranscripts().filter(isQuick)

test.each(transcripts)('$place replays as it is written', async (transcript) => {
  expect(await replay(transcript)).toEqual(transcript.steps)
})
