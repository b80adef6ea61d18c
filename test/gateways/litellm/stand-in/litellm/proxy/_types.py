"""What the recipe uses of LiteLLM, with the fields that its published code has."""


class ProxyException(Exception):
    def __init__(self, message, type, param, code=None, headers=None):
        super().__init__(message)
        self.message = message
        self.type = type
        self.param = param
        self.code = code
        self.headers = headers or {}


class UserAPIKeyAuth:
    def __init__(self, api_key=None, user_id=None, team_id=None):
        self.api_key = api_key
        self.user_id = user_id
        self.team_id = team_id
