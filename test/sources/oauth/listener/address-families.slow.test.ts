import { join } from 'node:path'
import { getuid } from 'node:process'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../../../pkg-scripts/tree.ts'

/** Returns the answers of a listener for each host on a machine with the one family, by the address to which the browser comes back. */
async function probe(family: 'IPv4' | 'IPv6') {
  const own = getuid?.() === 0 ? ['--net'] : ['--net', '--map-root-user']
  const program = [process.execPath, join(import.meta.dirname, 'probe-listener.ts')]
  const script = join(root, 'test/stand-ins/network/one-family.py')
  const { stdout } = await execa('unshare', [...own, 'python3', script, family, ...program])
  return JSON.parse(stdout)
}

test('without IPv6, localhost is answered on 127.0.0.1 (RFC 8252, section 7.3)', async () => {
  expect(await probe('IPv4')).toEqual({
    '127.0.0.1': { '127.0.0.1': 200, '::1': 'EADDRNOTAVAIL' },
    localhost: { '127.0.0.1': 200, '::1': 'EADDRNOTAVAIL' },
  })
})

test('without IPv4, localhost is answered on ::1 (RFC 8252, section 7.3), unlike 127.0.0.1', async () => {
  expect(await probe('IPv6')).toEqual({
    '127.0.0.1': {
      failure: '127.0.0.1, to which the browser comes back, cannot be opened: this machine has no such address',
    },
    localhost: { '127.0.0.1': expect.stringMatching(/^E/), '::1': 200 },
  })
})
