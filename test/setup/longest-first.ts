import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes, though they are short. Begun last, each would go on alone when all others are done. */
const longest = [
  'test/packaging/sizes.slow.test.ts',
  'test/packaging/release.slow.test.ts',
  'test/network/every-stage.slow.test.ts',
  'test/contract/new-helpers.slow.test.ts',
  'test/client/check/gallery.slow.test.ts',
  'test/client/check/every-helper.slow.test.ts',
  'test/demo.slow.test.ts',
  'test/contract/every-helper.test.ts',
  'test/transcripts/replay.slow.test.ts',
  'test/transcripts/replay.test.ts',
  'test/cache/one-mint.test.ts',
]

/** In each project the longest begin first; the others are in the order of vitest, the larger before the smaller where it knows no times. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((ofOne) => ofOne.toSorted((one, other) => rankOf(one) - rankOf(other)))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((path) => moduleId.endsWith(path))
  return place < 0 ? longest.length : place
}
