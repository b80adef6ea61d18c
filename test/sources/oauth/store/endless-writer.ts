import { Deadline } from '../../../../src/runtime/deadline.ts'
import { createSystemHost } from '../../../../src/runtime/host.ts'
import { createFileStore } from '../../../../src/sources/oauth/store/file-store.ts'
import { settings, toSignIn } from './plain-sign-in.ts'

// A program that keeps one sign-in after the other, each whole, until it is killed.
const host = createSystemHost()
const store = createFileStore(settings, { host, refreshTokens: 'kept', warn: host.streams.stderr })
const deadline = new Deadline({ seconds: 60, hint: '' }, host.clock)
for (let number = 1; ; number += 1) await store.change(deadline, { make: async () => toSignIn(number, host.env.ID) })
