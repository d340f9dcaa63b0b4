// ErrandDaemon
