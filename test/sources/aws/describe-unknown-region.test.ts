import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { describeUnknownRegion } from '../../../src/sources/aws/endpoint-settings.ts'

test('every region of the SDK that is installed is known', async () => {
  const path = 'node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js'
  const { partitionsInfo } = (await import(pathToFileURL(join(root, path)).href)) as {
    partitionsInfo: { partitions: readonly { regions: object }[] }
  }
  const regions = partitionsInfo.partitions.flatMap(({ regions }) => Object.keys(regions))
  // The SDK lists a name for each partition as a whole, too.
  const real = regions.filter((name) => !name.endsWith('-global'))
  expect(real.filter(describeUnknownRegion)).toEqual([])
  expect(real.length).toBeGreaterThan(30)
})

const unknown = (region: string, advice: string) =>
  `AWS has no region "${region}" that this version knows; unless it is a new one, no token will work there: ${advice}`

test.each<[region: string, said: string | undefined]>([
  ['eu-central-1', undefined],
  ['us-gov-west-1', undefined],
  ['eusc-de-east-1', undefined],
  ['eu-centrl-1', unknown('eu-centrl-1', 'did you mean eu-central-1?')],
  ['eu-central', unknown('eu-central', 'did you mean eu-central-1?')],
  ['us-weast-1', unknown('us-weast-1', 'did you mean us-east-1?')],
  ['frankfurt', unknown('frankfurt', 'set a region such as eu-central-1')],
])('the region %s is described: %s', (region, said) => {
  expect(describeUnknownRegion(region)).toBe(said)
})
