"""The runtimes of one worker process: what its bots share, and the way to open each kind of bot."""

import os
import tempfile
from weakref import WeakValueDictionary

from store.uploads import Upload
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Setting
from workers.runtimes.clock import Heartbeat
from workers.runtimes.endpoint import EndpointBot
from workers.runtimes.exchange import EndpointClient
from workers.runtimes.house import HouseBot, Streams
from workers.runtimes.line import Endpoint, Line, Slots
from workers.runtimes.module import ModuleBot
from workers.runtimes.sandbox import Sandbox, SandboxError
from workers.runtimes.searcher import Searcher
from workers.runtimes.unpacked import remove_orphans


class Runtimes:
    """Opens bots of every kind. Belongs to one event loop; modules need its thread to be the main one.

    `sandbox` is None where no sandbox holds, for which `no_sandbox` is the reason. `scratch` is a folder
    for the files of uploaded zips, the system's own for temporary files when it is None.
    """

    def __init__(
        self,
        *,
        sandbox: Sandbox | None,
        no_sandbox: str = "no sandbox was chosen",
        rules: AddressRules,
        scratch: str | None = None,
    ) -> None:
        self.rules = rules
        self.sandbox = sandbox
        self.heartbeat = Heartbeat()
        self.client = EndpointClient(rules, self.heartbeat)
        self.searcher = Searcher()
        # The line of an endpoint is there as long as a bot stands in it.
        self._lines: WeakValueDictionary[tuple[Endpoint, Slots], Line] = WeakValueDictionary()
        self._no_sandbox = no_sandbox
        self._scratch = scratch or tempfile.gettempdir()

    def start(self) -> None:
        """Begin to watch the running loop's punctuality, and clear away what killed workers left."""
        os.makedirs(self._scratch, exist_ok=True)
        remove_orphans(self._scratch)
        self.heartbeat.start()

    async def close(self) -> None:
        """Close the connections that are kept open and end the process that searches."""
        self.heartbeat.stop()
        await self.client.close()
        await self.searcher.close()
        if self.sandbox is not None:
            self.sandbox.close()

    def house(self, name: str, setting: Setting, streams: Streams) -> HouseBot:
        """Return a house bot for one seat of one group."""
        return HouseBot(name, setting.game, streams, self.searcher)

    def module(self, upload: Upload, setting: Setting) -> ModuleBot:
        """Return a policy module for one seat of one group; raises SandboxError where no sandbox holds."""
        if self.sandbox is None:
            raise SandboxError(self._no_sandbox)
        return ModuleBot(
            upload, setting, sandbox=self.sandbox, scratch=self._scratch, heartbeat=self.heartbeat
        )

    def endpoint(self, endpoint: Endpoint, setting: Setting, slots: Slots) -> EndpointBot:
        """Return an endpoint for one seat of one group; `slots` are shared by everybody who asks it."""
        line = self._lines.get((endpoint, slots))
        if line is None:
            line = self._lines[endpoint, slots] = Line(endpoint, client=self.client, slots=slots)
        return EndpointBot(setting, line)
