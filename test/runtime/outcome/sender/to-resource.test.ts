import { expect, test } from 'vitest'
import { toResource } from '../../../../src/runtime/outcome/sender/to-resource.ts'

test('attributes of the options stand beside the defaults and over them, and an empty one leaves a default out', () => {
  expect(toResource([], '1.2.3', 'desk')).toEqual({
    ...{ 'service.name': 'gatepass', 'service.version': '1.2.3', 'host.name': 'desk' },
  })
  expect(toResource(['host.name=', 'service.name=keys', 'site=a=b'], '1.2.3', 'desk')).toEqual({
    ...{ 'service.name': 'keys', 'service.version': '1.2.3', site: 'a=b' },
  })
})
