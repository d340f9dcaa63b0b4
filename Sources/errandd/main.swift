print("errandd")
