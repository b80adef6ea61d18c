import { describe, expect, test } from 'vitest'
import { ruleIds } from '../../../src/client/check/rules/rules.ts'
import { checkGalleryHelper, type GalleryHelper, listGallery, outcomeOf } from './gallery.ts'

const gallery = listGallery()

/** What waits for a timeout waits beside the others; what depends on the moment is on its own. */
describe.concurrent('of the gallery', () => {
  test.each(gallery.filter(({ isTimed }) => !isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

describe('of the gallery, alone', () => {
  test.each(gallery.filter(({ isTimed }) => isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

function asRow(helper: GalleryHelper) {
  return { name: helper.name, mistake: helper.mistake, helper }
}

async function expectItsRules({ helper }: { helper: GalleryHelper }): Promise<void> {
  const report = await checkGalleryHelper(helper)
  const { fails, warns } = helper
  expect(outcomeOf(report), JSON.stringify(report.verdicts, undefined, 1)).toEqual({ fails, warns })
}

test('every rule but the last of all has a helper that breaks it', () => {
  const broken = new Set(gallery.flatMap(({ fails, warns }) => [...fails, ...warns]))
  expect(ruleIds.filter((id) => !broken.has(id))).toEqual(['command-line'])
})
