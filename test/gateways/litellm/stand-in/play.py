"""Gives each line of standard input, a key in JSON, to the recipe as LiteLLM does, and prints what comes of it as a line of JSON."""

import asyncio
import json
import sys

import gatepass_auth
from litellm.proxy._types import ProxyException


async def play(api_key):
    try:
        return vars(await gatepass_auth.user_api_key_auth(request=None, api_key=api_key))
    except ProxyException as refusal:
        return vars(refusal)


for line in sys.stdin:
    print(json.dumps(asyncio.run(play(json.loads(line)))), flush=True)
