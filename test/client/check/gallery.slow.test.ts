import { describe, expect, test } from 'vitest'
import { ruleIds } from '../../../src/client/check/rules/rules.ts'
import { checkGalleryHelper, type GalleryHelper, listGallery, outcomeOf } from './gallery.ts'

const gallery = listGallery()

/** Helpers that wait for a timeout are checked beside each other; those that depend on the moment are checked alone. */
describe.concurrent('a helper of the gallery fails its rules', () => {
  test.each(gallery.filter(({ isTimed }) => !isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

describe('a helper of the gallery that is checked alone fails its rules', () => {
  test.each(gallery.filter(({ isTimed }) => isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

function asRow(helper: GalleryHelper) {
  return { name: helper.name, mistake: helper.mistake, helper }
}

async function expectItsRules({ helper }: { helper: GalleryHelper }): Promise<void> {
  const { fails, warns } = helper
  const report = await checkGalleryHelper(helper)
  expect(outcomeOf(report), JSON.stringify(report.verdicts, undefined, 1)).toEqual({ fails, warns })
}

test('every rule has a helper that breaks it, but one on the command line alone and one that takes ten seconds', () => {
  const broken = new Set(gallery.flatMap(({ fails, warns }) => [...fails, ...warns]))
  expect(ruleIds.filter((id) => !broken.has(id))).toEqual(['command-line', 'slow-notice'])
})
