import { expect, test } from 'vitest'
import { toChildEnvironment } from '../../src/sources/child-environment.ts'

test('a program learns why the client runs the helper, and nothing of the helper’s own settings', () => {
  const why = {
    VENDOR_HELPER_CONTEXT: 'mid-session-refresh',
    VENDOR_HELPER_MANUAL_RUN: '1',
    GATEPASS_REFRESH_CAUSE: 'refused',
  }
  const settings = { GATEPASS_PROXY: 'http://x:secret@proxy', VENDOR_API_KEY: 'secret', gatepass_key: 'secret' }
  expect(toChildEnvironment({ PATH: '/bin', ...why, ...settings })).toEqual({ PATH: '/bin', ...why })
})
